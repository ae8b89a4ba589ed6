// The table of algorithms, what they ask of a request, and who runs them.
#include "registry/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "registry/held.hpp"
#include "registry/trace_tree.hpp"
#include "registry/visit.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

using enum trace_algorithm;

constexpr std::array<trace_algorithm_info, 9> algorithms = {{
    {hillis_steele, "hillis-steele", "Hillis-Steele scan, in place",
     "block scan by doubling distances, in place", true, false, true},
    {hillis_steele_double, "hillis-steele-double", "Hillis-Steele scan with two buffers",
     "the same from one buffer into another", true, false, true},
    {blelloch, "blelloch", "Blelloch scan", "block scan by an up-sweep and a down-sweep of a tree", true,
     false, true},
    {block_scan, "block-scan", "Block scan by warps", "block scan of warp scans and of their totals", true,
     false, true},
    {warp_scan, "warp-scan", "Warp scan", "scan of a warp by shuffles", true, false, true},
    {warp_reduce, "warp-reduce", "Butterfly reduction of a warp",
     "fold of a warp, in every lane, by a butterfly", false, false, true},
    {warp_partition, "warp-partition", "Partition of a warp by a ballot",
     "elements below the pivot first, by a ballot", false, true, true},
    {warp_partition_scans, "warp-partition-scans", "Partition of a warp by scans",
     "the same by two scans, a butterfly and a search", false, true, true},
    {tree, "tree", "The tree of the numeric contract", "the tree by which arrays are scanned", true, false,
     false},
}};

emulated_trace emulator = nullptr;

constexpr std::size_t most_threads = 1024;  // of a block
// Every part of the tree has appeared by then.
constexpr std::size_t most_of_tree = core::super_size + core::tile_size;

struct room {
    std::size_t elements;
    std::string reason;
};

room room_of(const trace_request& request) {
    const std::size_t width = request.warp_width;
    const std::string warps = "warps of " + std::to_string(width) + (width == 1 ? " lane" : " lanes");
    switch (request.algorithm) {
        case hillis_steele:
        case hillis_steele_double:
        case blelloch:
            return {most_threads, "a block has at most 1024 threads"};
        case block_scan:
            if (width * width < most_threads)
                return {width * width, "one warp scans the totals of all, and these are " + warps};
            return {most_threads, "a block has at most 1024 threads"};
        case tree:
            return {most_of_tree, "one super and one tile: S and T are there by then"};
        default:
            return {width, "it is about one warp, and these are " + warps};
    }
}

[[noreturn]] void refuse(const std::string& words) { throw_error(errc::invalid_argument, words); }

void check(const trace_request& request) {
    const trace_algorithm_info& about = info(request.algorithm);
    const std::string name(about.name);
    if (about.is_emulated && (!std::has_single_bit(request.warp_width) || request.warp_width > 64)) {
        refuse("warps of " + std::to_string(request.warp_width) +
               " lanes: expected a power of two from 1 to 64");
    }
    const std::size_t count = request.elements.size();
    const room most = room_of(request);
    if (count == 0) refuse(name + ": there are no elements to trace");
    if (count > most.elements) {
        refuse(name + ": takes at most " + std::to_string(most.elements) + " elements (" + most.reason +
               "), but there are " + std::to_string(count));
    }
    if (request.threads != 0) {
        if (!about.is_emulated || about.is_partition) refuse(name + ": has no threads without an element");
        if (request.threads < count || request.threads > most.elements) {
            refuse(name + ": " + std::to_string(request.threads) + " threads, expected " +
                   std::to_string(count) + ", the number of elements, to " + std::to_string(most.elements) +
                   " (" + most.reason + ")");
        }
    }
    if (request.exclusive && !about.is_scan) refuse(name + ": has no exclusive form");
    if (request.initial && !about.is_scan) refuse(name + ": takes no initial value");
}

}  // namespace

std::span<const trace_algorithm_info> trace_algorithms() { return algorithms; }

const trace_algorithm_info& info(trace_algorithm algorithm) {
    return algorithms.at(static_cast<std::size_t>(algorithm));
}

std::vector<value> trace_elements(dtype from, const void* data, std::size_t count, operation op, dtype to) {
    std::vector<value> elements;
    const auto take = [&]<class T>(std::type_identity<T>, dtype type, const void* all) {
        for (std::size_t i = 0; i < count; ++i)
            elements.push_back(value::of(type, static_cast<const T*>(all)[i]));
    };
    if (from == to) {
        visit_type(from, [&](auto type) { take(type, from, data); });
        return elements;
    }
    const dtype held = held_type(op, to);
    std::vector<std::byte> loaded(count * size_of(held));
    load_held({from, to, held}, data, loaded.data(), count);
    visit_type(held, [&](auto type) { take(type, held, loaded.data()); });
    for (value& element : elements) element = from_held(element, to);
    return elements;
}

std::string cell_text(const trace_report& report, const trace_cell& cell) {
    const trace_array& array = report.arrays[cell.array];
    if (array.constant) return array.name;
    if (!array.columns.empty()) return array.columns[cell.index];
    return array.name + "[" + std::to_string(cell.index) + "]";
}

bool makes_news(const trace_report& report, const trace_action& action) {
    return action.right || action.to.index != action.left.index || report.arrays[action.left.array].constant;
}

trace_report run_trace(const trace_request& request) {
    check(request);
    const trace_algorithm_info& about = info(request.algorithm);
    if (!about.is_emulated) return trace_tree(request);
    if (emulator == nullptr) {
        throw_error(errc::unsupported,
                    std::string(about.name) +
                        ": runs in the emulator of GPU kernels, which this build lacks (it "
                        "needs Boost.Context)");
    }
    return emulator(request);
}

void add_emulated_trace(emulated_trace run) { emulator = run; }

}  // namespace upsweep::registry
