// Sorts of rows: of one by the library's sort, of many that fit a block by a block each, of others by two
// sorts, of all elements together and then, stably, of those by their rows.
#include <string>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/launches.cuh"
#include "registry/cuda/stream_memory.hpp"
#include "registry/visit.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/sort_records.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {
namespace {

core::key_order order_of(dtype type, bool descending) {
    return visit_type(type, [&]<class Key>(std::type_identity<Key>) -> core::key_order {
        if constexpr (sort_key<Key>) {
            return core::order_of<Key>(descending);
        } else {
            throw_error(errc::invalid_argument,
                        std::string(name(type)) + " has no order to sort its elements in");
        }
    });
}

// The row of element from[i], or of element i where there is no `from`.
template <class Row>
__global__ void __launch_bounds__(threads)
    find_rows_kernel(const std::int64_t* from, std::uint64_t n, std::uint64_t length, Row* rows) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t(threads) + threadIdx.x; i < n;
         i += gridDim.x * std::uint64_t(threads))
        rows[i] = static_cast<Row>((from == nullptr ? i : static_cast<std::uint64_t>(from[i])) / length);
}
// Indices within rows.
__global__ void __launch_bounds__(threads)
    find_columns_kernel(std::int64_t* indices, std::uint64_t n, std::uint64_t length) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t(threads) + threadIdx.x; i < n;
         i += gridDim.x * std::uint64_t(threads))
        indices[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(indices[i]) % length);
}

// The number of the row of each element, in as few bytes as hold it.
class row_numbers {
  public:
    row_numbers(cuda::executor& ex, const rows_to_sort& call, const std::int64_t* from)
        : n_(std::uint64_t{call.rows} * call.length),
          order_(call.rows <= std::uint64_t{1} << 32 ? core::order_of<std::uint32_t>(false)
                                                     : core::order_of<std::uint64_t>(false)),
          memory_(ex, n_ * order_.bytes) {
        if (order_.bytes == sizeof(std::uint32_t))
            find<std::uint32_t>(ex, call.length, from);
        else
            find<std::uint64_t>(ex, call.length, from);
        cuda::check(cudaGetLastError(), "sorting rows");
    }

    [[nodiscard]] void* data() const { return memory_.data(); }
    [[nodiscard]] std::size_t bytes() const { return order_.bytes; }  // of one

    // Sorts what goes along by the rows' numbers, of which most bytes are alike.
    void sort(cuda::executor& ex, void* values, std::size_t value_bytes) const {
        cuda::records all;
        all.what = cuda::records::kind::values;
        all.n = n_;
        all.keys = data();
        all.values = values;
        all.values_out = values;
        all.value_bytes = value_bytes;
        cuda::sort_records(ex, order_, all);
    }

  private:
    template <class Row>
    void find(const cuda::executor& ex, std::uint64_t length, const std::int64_t* from) const {
        find_rows_kernel<<<blocks_for(n_), threads, 0, ex.stream()>>>(from, n_, length,
                                                                      static_cast<Row*>(data()));
    }

    std::uint64_t n_;
    core::key_order order_;
    stream_memory memory_;
};

// Below, two sorts of everything are faster than blocks that have little to do.
constexpr std::size_t blocks_from_length = 512;

// The sort of all rows at once: of each by itself where it is given as such.
cuda::records records_of(const rows_to_sort& call, std::size_t key_bytes, std::size_t value_bytes) {
    cuda::records all;
    all.keys = call.in;
    const bool by_blocks =
        call.length >= blocks_from_length && call.length <= cuda::sort_block_records(key_bytes, value_bytes);
    all.n = by_blocks || call.rows == 1 ? call.length : std::uint64_t{call.rows} * call.length;
    all.rows = by_blocks ? call.rows : 1;
    return all;
}

void sort_elements(cuda::executor& ex, const rows_to_sort& call, const core::key_order& order) {
    cuda::records all = records_of(call, order.bytes, 0);
    all.keys_out = call.out;
    if (all.n == call.length) return cuda::sort_records(ex, order, all);

    const row_numbers rows(ex, call, nullptr);
    all.what = cuda::records::kind::values;
    all.values = rows.data();
    all.values_out = rows.data();
    all.value_bytes = rows.bytes();
    cuda::sort_records(ex, order, all);
    rows.sort(ex, call.out, order.bytes);
}

void sort_indices(cuda::executor& ex, const rows_to_sort& call, const core::key_order& order) {
    auto* const out = static_cast<std::int64_t*>(call.out);
    cuda::records all = records_of(call, order.bytes, sizeof *out);
    all.what = cuda::records::kind::indices;
    all.values_out = out;
    all.value_bytes = sizeof *out;
    cuda::sort_records(ex, order, all);
    if (all.n == call.length) return;

    const row_numbers rows(ex, call, out);
    rows.sort(ex, out, sizeof *out);
    find_columns_kernel<<<blocks_for(all.n), threads, 0, ex.stream()>>>(out, all.n, call.length);
    cuda::check(cudaGetLastError(), "sorting rows");
}

}  // namespace

void sort_rows(cuda::executor& ex, const rows_to_sort& call) {
    const core::key_order order = order_of(call.type, call.descending);
    if (call.rows == 0 || call.length == 0) return;
    const cuda::device_scope current(ex);
    ex.check_pointer(call.in, "a");
    ex.check_pointer(call.out, "out");
    ex.check_before_launch();
    if (call.indices)
        sort_indices(ex, call, order);
    else
        sort_elements(ex, call, order);
}

}  // namespace upsweep::registry::gpu
