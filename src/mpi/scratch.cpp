#include "upsweep/mpi/scratch.hpp"

#include <cstdlib>
#include <string>

#include "upsweep/error.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace upsweep::mpi {

void memory_block::release::operator()(std::byte* bytes) const { std::free(bytes); }

memory_block::memory_block(std::size_t bytes) {
    if (bytes == 0) return;
    constexpr std::size_t huge = std::size_t{2} << 20;
    const std::size_t alignment = bytes >= huge ? huge : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (rounded >= bytes)  // nothing has wrapped round
        bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    if (bytes_ == nullptr)
        throw_error(
            errc::out_of_memory,
            std::to_string(bytes) + " bytes for elements on their way between ranks are not to be had");
#if defined(__linux__)
    if (alignment == huge) ::madvise(bytes_.get(), rounded, MADV_HUGEPAGE);
#endif
}

}  // namespace upsweep::mpi
