// Sorts of rows: of one by the library's sort, of many that fit a block by a block each, of others as
// segments.
#include <cstdint>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/sorted_records.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/equal_rows.hpp"
#include "upsweep/cuda/sort_records.hpp"

namespace upsweep::registry::gpu {
namespace {

// Rows that fit a block, but not a tile of several of them, are sorted by a radix sort of its own; and their
// indices also where that is faster than to merge them.
bool by_blocks(const rows_to_sort& call, std::size_t key_bytes, std::size_t value_bytes) {
    constexpr std::size_t faster_from = 4096;  // docs/cuda-design.md
    if (call.length > cuda::sort_block_records(key_bytes, value_bytes)) return false;
    return call.length > cuda::sort_tile_records(key_bytes) || (call.indices && call.length >= faster_from);
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
    const cuda::detail::equal_rows rows{ex, call.length, all.n};
    all.make_heads = &cuda::detail::equal_rows::make;
    all.heads_maker = &rows;
    all.longest = call.length;
    all.from_segment = true;
    cuda::sort_segments(ex, order, all);
}

}  // namespace upsweep::registry::gpu
