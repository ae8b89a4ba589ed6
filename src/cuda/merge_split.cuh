// Where what two runs have in order is cut: GPU merge path.
//
// Source: Green, McColl and Bader, "GPU merge path", 2012.
#pragma once

namespace upsweep::cuda::detail {

// Of the first `diagonal` of what two runs have in order, how many the left one has. is_before(i, j): whether
// its element i stands before element j of the right one.
template <class IsBefore>
[[nodiscard]] __device__ __forceinline__ unsigned merge_split(unsigned diagonal, unsigned left_count,
                                                              unsigned right_count,
                                                              const IsBefore& is_before) {
    unsigned least = diagonal > right_count ? diagonal - right_count : 0;
    unsigned most = diagonal < left_count ? diagonal : left_count;
    while (least < most) {
        const unsigned i = (least + most) / 2;
        if (is_before(i, diagonal - 1 - i))
            least = i + 1;
        else
            most = i;
    }
    return least;
}

}  // namespace upsweep::cuda::detail
