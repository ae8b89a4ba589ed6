#include "upsweep/mpi/bins.hpp"

#include "upsweep/mpi/counts.hpp"

namespace upsweep::mpi {

bin_places::bin_places(std::size_t bins, std::size_t elements) : before_(bins), total_(bins) {
    own_.reserve(std::min(bins, elements));
}

void bin_places::find(const executor& ex, std::uint64_t* offsets) {
    const std::size_t bins = total_.size();
    for (std::size_t b = 0; b < bins; ++b) before_[b] = total_[b] = offsets[b + 1] - offsets[b];
    sum_over_earlier_ranks(ex, before_.data(), bins);
    sum_over_ranks(ex, total_.data(), bins);
    std::uint64_t first = 0, own_first = 0;
    for (std::size_t b = 0; b < bins; ++b) {
        const std::uint64_t own_end = offsets[b + 1], own = own_end - own_first;
        own_first = own_end;
        if (own != 0) own_.push_back({first + before_[b], own});
        first += total_[b];
        offsets[b + 1] = first;
    }
}

}  // namespace upsweep::mpi
