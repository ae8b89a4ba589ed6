// The first elements of rows of a run-time type.
#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/sorted_records.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/top_k_records.hpp"

namespace upsweep::registry::gpu {

void top_k_rows(cuda::executor& ex, const rows_to_choose& call) {
    const core::key_order order = order_of(call.type, !call.smallest);
    if (call.rows == 0 || call.k == 0) return;
    const cuda::device_scope current(ex);
    ex.check_pointer(call.in, "a");
    ex.check_pointer(call.values, "values");
    ex.check_pointer(call.indices, "indices");
    ex.check_before_launch();
    cuda::top_k_records all;
    all.rows = call.rows;
    all.length = call.length;
    all.k = call.k;
    all.keys = call.in;
    all.keys_out = call.values;
    all.values_out = call.indices;
    all.value_bytes = sizeof *call.indices;
    cuda::select_top(ex, order, all);
}

}  // namespace upsweep::registry::gpu
