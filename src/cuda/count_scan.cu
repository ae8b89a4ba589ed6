// Exclusive sums of counts.
#include "upsweep/cuda/count_scan.hpp"

#include "upsweep/cuda/launch.cuh"
#include "upsweep/operators.hpp"

namespace upsweep::cuda {
namespace {

using count = std::uint64_t;
using types = scan_types<count, plus, count, count, as_is, as_is, count>;

}  // namespace

std::size_t count_scan_bytes(std::uint64_t n) { return workspace_bytes_of<types>(n); }

void scan_counts(executor& ex, void* scratch, std::uint64_t* values, std::uint64_t n, std::uint64_t* total) {
    const scan_arguments<types> arguments{{values}, values, n,     nullptr, false, false, nullptr,
                                          0,        0,      total, {},      {},    {}};
    const scan_launch<types, true> scan(ex, arguments);
    const algorithm chosen = scan.choose();
    scan.enqueue(chosen, scratch);
    ex.set_latest(chosen);
}

}  // namespace upsweep::cuda
