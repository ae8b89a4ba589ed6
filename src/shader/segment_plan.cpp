// The plan of a scan in segments: heads from what describes the segments, then the scan of pairs.
#include <algorithm>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {
namespace {

std::uint64_t heads_bytes(std::uint64_t length) { return divide_up(length, 32) * 4; }

// Of the workspace: heads, then the totals.
std::uint64_t totals_offset(std::uint64_t length, const limits& device) {
    return round_up(heads_bytes(length), alignment_of(device));
}

}  // namespace

std::uint64_t segmented_workspace_bytes(const operation& op, std::uint64_t length, const limits& device) {
    return totals_offset(length, device) + tree_workspace_bytes(op, length, true);
}

std::vector<dispatch> plan_segmented_scan(const segmented_request& request, const limits& device) {
    check_segments(request.segments, request.scan.length);
    scan_request scan = request.scan;
    scan.segmented = true;
    scan.heads_offset = request.scan.workspace_offset;
    scan.workspace_offset += totals_offset(scan.length, device);
    const std::vector<dispatch> pairs = plan_scan(scan, device);  // checks the rest
    if (pairs.empty()) return {};
    std::vector<dispatch> made =
        plan_heads({request.segments, scan.length, scan.reverse, request.scan.workspace_offset}, device);
    for (dispatch next : pairs) {
        next.waits = true;
        made.push_back(next);
    }
    return made;
}

}  // namespace upsweep::shader
