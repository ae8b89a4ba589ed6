#include "mpi/backend.hpp"

#include <mpi.h>

#include "support/backend.hpp"
#include "upsweep/cpu/simd_level.hpp"

namespace upsweep::test {
namespace {

std::vector<mpi_backend>& list() {
    static std::vector<mpi_backend> made;
    return made;
}
void add(std::size_t threads, cpu::simd_level level) {
    auto local = std::make_unique<cpu::executor>(threads, level);
    local->share_from(small_shared_bytes);
    local->stream_from(small_streamed_bytes);
    auto executor = std::make_unique<mpi_executor>(std::move(local));
    const std::string name = std::to_string(executor->ranks().size()) + " ranks, " +
                             std::string(cpu::name(level)) + ", " + std::to_string(threads) + " threads each";
    list().push_back({name, std::move(executor), level, threads});
}

}  // namespace

void mpi_executor::gather(const void* own, void* all, std::size_t element_bytes,
                          const std::vector<std::size_t>& cuts) const {
    std::vector<int> counts, offsets;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        counts.push_back(static_cast<int>((cuts[k + 1] - cuts[k]) * element_bytes));
        offsets.push_back(static_cast<int>(cuts[k] * element_bytes));
    }
    mpi::check_call(MPI_Allgatherv(own, counts[static_cast<std::size_t>(ranks_.rank())], MPI_BYTE, all,
                                   counts.data(), offsets.data(), MPI_BYTE, ranks_.communicator()),
                    "MPI_Allgatherv");
}

const std::vector<mpi_backend>& mpi_backends() {
    if (list().empty()) {
        const std::vector<cpu::simd_level> levels = cpu::supported_simd_levels();
        add(1, levels.back());
        // What a rank computes with is its own affair: two ranks show it, and where there are more of them
        // than processors a call takes several times as long.
        int ranks = 0;
        mpi::check_call(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
        if (ranks <= 2) {
            add(3, levels.back());
            if (levels.size() > 1) add(1, levels.front());
        }
    }
    return list();
}
void release_mpi_backends() { list().clear(); }

}  // namespace upsweep::test
