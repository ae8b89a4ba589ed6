// Sorts of rows: of one by the library's sort, of many that fit a block by a block each, of others as
// segments.
#include <cstdint>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/launches.cuh"
#include "registry/cuda/sorted_records.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/sort_records.hpp"

namespace upsweep::registry::gpu {
namespace {

// Bits of the first elements of rows, as cuda::segmented_records has them.
__global__ void __launch_bounds__(threads)
    mark_rows_kernel(std::uint64_t n, std::uint64_t length, std::uint32_t* words, std::uint64_t count) {
    for (std::uint64_t w = blockIdx.x * std::uint64_t(threads) + threadIdx.x; w < count;
         w += gridDim.x * std::uint64_t(threads)) {
        const std::uint64_t end = w * 32 + 32 < n ? w * 32 + 32 : n;
        std::uint32_t bits = 0;
        for (std::uint64_t i = (w * 32 + length - 1) / length * length; i < end; i += length)
            bits |= 1u << (i % 32);
        words[w] = bits;
    }
}

struct row_marks {
    const cuda::executor& ex;
    std::uint64_t n, length;

    static void make(const void* maker, std::uint32_t* words) {
        const auto& self = *static_cast<const row_marks*>(maker);
        const std::uint64_t count = cuda::detail::marked_heads::count(self.n);
        mark_rows_kernel<<<blocks_for(count), threads, 0, self.ex.stream()>>>(self.n, self.length, words,
                                                                              count);
    }
};

// Rows that fit a block are sorted by a radix sort of its own where that is faster than to merge them,
// several in a tile, and where they do not fit a tile.
bool by_blocks(const rows_to_sort& call, std::size_t key_bytes, std::size_t value_bytes) {
    constexpr std::size_t faster_from = 4096;  // docs/cuda.md
    return call.length <= cuda::sort_block_records(key_bytes, value_bytes) &&
           (call.length >= faster_from || call.length > cuda::sort_tile_records(key_bytes));
}

}  // namespace

void sort_rows(cuda::executor& ex, const rows_to_sort& call) {
    const core::key_order order = order_of(call.type, call.descending);
    if (call.rows == 0 || call.length == 0) return;
    const cuda::device_scope current(ex);
    ex.check_pointer(call.in, "a");
    ex.check_pointer(call.out, "out");
    ex.check_before_launch();
    cuda::segmented_records all = sorted_records(call.in, call.out, call.indices);
    if (call.rows == 1 || by_blocks(call, order.bytes, all.value_bytes)) {
        all.n = call.length;
        all.rows = call.rows;
        return cuda::sort_records(ex, order, all);
    }
    all.n = std::uint64_t{call.rows} * call.length;
    const row_marks rows{ex, all.n, call.length};
    all.make_heads = &row_marks::make;
    all.heads_maker = &rows;
    all.longest = call.length;
    all.from_segment = true;
    cuda::sort_segments(ex, order, all);
}

}  // namespace upsweep::registry::gpu
