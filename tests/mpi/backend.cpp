#include "mpi/backend.hpp"

#include <mpi.h>

#include "support/backend.hpp"
#include "support/random.hpp"
#include "upsweep/core/tree.hpp"
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

std::vector<std::size_t> cut_among(int size, std::size_t n, unsigned turn) {
    const auto parts = static_cast<std::size_t>(size);
    std::vector<std::size_t> cuts(parts + 1, 0);
    cuts.back() = n;
    random_bits random(turn * 1000003u + n);
    switch (turn % 5) {
        case 0:  // even parts
            for (std::size_t k = 1; k < parts; ++k) cuts[k] = n * k / parts;
            break;
        case 1:  // one rank has everything
            for (std::size_t k = 1; k < parts; ++k) cuts[k] = k > turn / 5 % parts ? n : 0;
            break;
        case 2:  // anywhere
            for (std::size_t k = 1; k < parts; ++k) cuts[k] = random.below(n + 1);
            break;
        case 3:  // next to a boundary of the tree
            for (std::size_t k = 1; k < parts; ++k) {
                const std::size_t levels[] = {core::run_size, core::row_size, core::tile_size,
                                              core::super_size};
                const std::size_t level = levels[random.below(4)];
                const std::size_t boundary = random.below(n / level + 1) * level;
                cuts[k] = std::min(n, boundary + random.below(3) - (boundary == 0 ? 0 : 1));
            }
            break;
        default:  // some empty ones, many of a few elements
            for (std::size_t k = 1; k < parts; ++k)
                cuts[k] = random.below(2) == 0 ? cuts[k - 1] : std::min(n, cuts[k - 1] + random.below(10));
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

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
