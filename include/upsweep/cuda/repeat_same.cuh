// Elements that are all repeated equally often: result j is element j / count.
#pragma once

#include <cstdint>

#include "upsweep/cuda/repeat_results.cuh"

namespace upsweep::cuda::detail {

// Results that a block makes.
template <class Out>
struct same_shape {
    static constexpr bool by_value = passes_as_bits<Out>;
    static constexpr int threads = 256;
    static constexpr int groups = 4;  // of 16 bytes, of a thread
    static constexpr unsigned window =
        by_value ? threads * groups * (16 / unsigned(sizeof(Out) <= 16 ? sizeof(Out) : 16)) : 2048;
    // Of so many results, anywhere in memory.
    static constexpr std::uint64_t windows(std::uint64_t results) { return (results + 15) / window + 1; }
};

// Elements of a window, whose first result is number `skipped` of element `first`.
class same_owners {
  public:
    __device__ __forceinline__ same_owners(std::uint64_t result, std::uint64_t each)
        : each_(each), first_(result / each), skipped_(result - first_ * each) {}

    // The element of result j of the window, and how many results of it begin with that one.
    __device__ __forceinline__ std::uint64_t element(unsigned j, std::uint64_t* left) const {
        if (each_ < std::uint64_t{1} << 31) {
            const auto each = static_cast<std::uint32_t>(each_);
            const std::uint32_t at = static_cast<std::uint32_t>(skipped_) + j, element = at / each;
            *left = each - (at - element * each);
            return first_ + element;
        }
        const std::uint64_t at = skipped_ + j;  // a window is shorter than the element's results
        *left = (at < each_ ? each_ : 2 * each_) - at;
        return first_ + (at < each_ ? 0 : 1);
    }

  private:
    std::uint64_t each_, first_, skipped_;
};

// out[j] = element j / each, for j < results; *count = total.
template <class Source>
__global__ void __launch_bounds__(same_shape<typename Source::result>::threads)
    repeat_same_kernel(Source source, std::uint64_t each, typename Source::result* out, std::uint64_t results,
                       std::uint64_t total, std::uint64_t* count) {
    using Out = typename Source::result;
    using shape = same_shape<Out>;
    if (blockIdx.x == 0 && threadIdx.x == 0) *count = total;
    std::uint64_t first = std::uint64_t(blockIdx.x) * shape::window;
    if constexpr (shape::by_value) {
        // Windows begin where 16 aligned bytes do, but for the first one.
        constexpr int group = 16 / int(sizeof(Out));
        const unsigned lead = unsigned(result_places<Out>(out, 0).lead());
        const unsigned skipped = blockIdx.x == 0 ? lead : 0;
        first -= lead - skipped;
        if (first >= results) return;
        const std::uint64_t left_over = results - first;
        const unsigned most = shape::window - skipped;
        const result_places<Out> to(out + first, int(left_over < most ? left_over : most));
        const same_owners owners(first, each);
#pragma unroll
        for (int k = 0; k < shape::groups; ++k) {
            const int at = (k * shape::threads + int(threadIdx.x)) * group;
            if (at >= to.end()) break;
            const unsigned ahead = at < to.lead() ? unsigned(to.lead() - at) : 0;  // slots of no results
            std::uint64_t left = 0;
            std::uint64_t element = owners.element(unsigned(at) + ahead - unsigned(to.lead()), &left);
            result_bits<Out> value[group];
            value[0] = source.value(element);
#pragma unroll
            for (int m = 1; m < group; ++m) {
                value[m] = value[m - 1];
                if (unsigned(m) > ahead && --left == 0 && at + m < to.end()) {
                    value[m] = source.value(++element);
                    left = each;
                }
            }
            to.store(at, value);
        }
    } else {
        if (first >= results) return;
        const std::uint64_t left_over = results - first;
        const same_owners owners(first, each);
        source.copy(out + first, unsigned(left_over < shape::window ? left_over : shape::window),
                    [&](unsigned j) {
                        std::uint64_t left = 0;
                        return owners.element(j, &left);
                    });
    }
}

}  // namespace upsweep::cuda::detail
