// Histograms and the elements of bins: the registry's binners.
#include <algorithm>
#include <string>

#include "python/common/bin_limits.hpp"
#include "python/common/errors.hpp"
#include "python/common/scan_plan.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/binner.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// Limits for all elements: from the smallest to the largest.
limits extent_of(nb::handle a, const std::string& type) {
    const array in(a, "a", named_type(type), access::read);
    in.expect_sequence(in.size());
    const auto device = processor();
    const auto extent = registry::make_extent(*device, in.type());
    {
        const unlocked others(in.bytes());
        extent->include(in.data(), in.size());
    }
    const registry::bin_limits found = extent->limits(1);
    return {found.lo, found.hi, found.clamp};
}

// Where bins begin, and where the last one ends: numbers of the type that elements are looked at as.
nb::bytes edges(const std::string& type, const limits& where, std::uint32_t count) {
    const auto binner = registry::make_binner(*processor(), named_type(type), limits_of(where, count));
    std::string all;
    for (std::uint64_t bin = 0; bin <= count; ++bin) {
        const registry::value edge = binner->edge(bin);
        all.append(reinterpret_cast<const char*>(edge.data()), registry::size_of(edge.type()));
    }
    return nb::bytes(all.data(), all.size());
}

void histogram(nb::handle a, const std::string& type, const limits& where, nb::handle counts) {
    const array in(a, "a", named_type(type), access::read);
    const array to(counts, "counts", registry::dtype::uint64, access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(to.size());
    const auto device = processor();
    const auto binner = registry::make_binner(*device, in.type(), limits_of(where, to.size()));
    const unlocked others(in.bytes());
    auto* const numbers = static_cast<std::uint64_t*>(to.data());
    std::fill_n(numbers, to.size(), 0);
    binner->count(in.data(), numbers, in.size());
}

// The weights that elements count for have the plan's input type, their sums its output type.
void weighted_histogram(nb::handle a, const std::string& type, const limits& where, const scan_plan& plan,
                        nb::handle weights, nb::handle totals) {
    const array in(a, "a", named_type(type), access::read);
    const array beside(weights, "weights", plan.types.input, access::read);
    const array to(totals, "totals", plan.types.output, access::write);
    in.expect_sequence(in.size());
    beside.expect_sequence(in.size());
    to.expect_sequence(to.size());
    const auto device = processor();
    const auto binner = registry::make_binner(*device, in.type(), limits_of(where, to.size()));
    const unlocked others(in.bytes() + beside.bytes());
    binner->sum(in.data(), plan.types, beside.data(), to.data(), in.size());
}

// One offset more than bins. `indices`: out is of int64. Returns how many elements there are in bins.
std::size_t bins(nb::handle a, const std::string& type, const limits& where, nb::handle out,
                 nb::handle offsets, bool indices) {
    const array in(a, "a", named_type(type), access::read);
    const array to(out, "out", indices ? registry::dtype::int64 : in.type(), access::write);
    const array at(offsets, "offsets", registry::dtype::uint64, access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    at.expect_sequence(at.size());
    const auto device = processor();
    const auto binner = registry::make_binner(*device, in.type(), limits_of(where, at.size() - 1));
    const unlocked others(in.bytes());
    auto* const begins = static_cast<std::uint64_t*>(at.data());
    return indices ? binner->extract_indices(in.data(), 0, static_cast<std::int64_t*>(to.data()), begins,
                                             in.size())
                   : binner->extract(in.data(), to.data(), begins, in.size());
}

}  // namespace

void add_bins(nb::module_& module) {
    module.def("extent_of", &extent_of, nb::arg("a"), nb::arg("type"));
    module.def("edges", &edges, nb::arg("type"), nb::arg("limits"), nb::arg("count"));
    module.def("histogram", &histogram, nb::arg("a"), nb::arg("type"), nb::arg("limits"), nb::arg("counts"));
    module.def("weighted_histogram", &weighted_histogram, nb::arg("a"), nb::arg("type"), nb::arg("limits"),
               nb::arg("plan"), nb::arg("weights"), nb::arg("totals"));
    module.def("bins", &bins, nb::arg("a"), nb::arg("type"), nb::arg("limits"), nb::arg("out"),
               nb::arg("offsets"), nb::arg("indices"));
}

}  // namespace upsweep::python
