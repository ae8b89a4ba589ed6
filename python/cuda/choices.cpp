// Compaction, partition, runs, repeats, histograms and bins.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>

#include "python/common/bin_limits.hpp"
#include "python/common/comparison.hpp"
#include "python/common/errors.hpp"
#include "python/common/layout.hpp"
#include "python/common/scan_plan.hpp"
#include "python/cuda/module.hpp"
#include "registry/cuda/array_choices.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// By a condition on the elements. `indices`: out is of int64. Waits, as it returns how many there are.
std::uint64_t choose_compared(stream& in_stream, nb::handle a, const std::string& type,
                              const std::string& sign, const std::string& number, nb::handle out, bool packed,
                              bool indices) {
    const layout in(a, "a"), to(out, "out");
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    const registry::dtype element = named_type(type);
    const registry::condition_value condition = registry::resolve({comparison_of(sign), number}, element);
    awaited<std::uint64_t> count(in_stream);
    registry::gpu::choose_compared(in_stream.executor(),
                                   {element, condition, in.data(), to.data(), in.size(), packed, indices},
                                   count.data());
    return count.wait();
}

// By flags. `a` None: indices, of int64. Waits, as it returns how many there are.
std::uint64_t choose(stream& in_stream, nb::handle flags, nb::handle a, std::size_t element_bytes,
                     nb::handle out, bool packed) {
    const layout marks(flags, "condition"), to(out, "out");
    marks.expect_sequence(marks.size());
    to.expect_sequence(marks.size());
    registry::gpu::choice call{static_cast<const std::uint8_t*>(marks.data()),
                               nullptr,
                               to.data(),
                               marks.size(),
                               element_bytes,
                               packed};
    if (!a.is_none()) {
        const layout in(a, "a");
        in.expect_sequence(marks.size());
        call.in = in.data();
    }
    awaited<std::uint64_t> count(in_stream);
    registry::gpu::choose(in_stream.executor(), call, count.data());
    return count.wait();
}

void mark_runs(stream& in_stream, nb::handle a, const std::string& type, nb::handle flags) {
    const layout in(a, "a"), to(flags, "flags");
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    registry::gpu::mark_runs(in_stream.executor(), named_type(type), in.data(),
                             static_cast<std::uint8_t*>(to.data()), in.size());
}

// `offsets` of int64. Waits, as it returns whether they are good.
bool mark_offsets(stream& in_stream, nb::handle offsets, nb::handle flags) {
    const layout at(offsets, "offsets"), to(flags, "flags");
    at.expect_sequence(std::max<std::size_t>(at.size(), 1));
    to.expect_sequence(to.size());
    registry::gpu::mark_offsets(in_stream.executor(), static_cast<const std::int64_t*>(at.data()), at.size(),
                                static_cast<std::uint8_t*>(to.data()), to.size(), in_stream.count());
    return counted(in_stream).wait() == 0;
}

// `lengths` and `numbers`, of int64: how many elements a run has, and for each element the number of its run;
// None: not wanted. Waits, as it returns how many runs there are.
std::uint64_t encode_runs(stream& in_stream, nb::handle a, const std::string& type, nb::handle out,
                          nb::handle lengths, nb::handle numbers) {
    const layout in(a, "a"), to(out, "out");
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    const auto optional = [&](nb::handle given, const char* name) -> std::int64_t* {
        if (given.is_none()) return nullptr;
        const layout each(given, name);
        each.expect_sequence(in.size());
        return static_cast<std::int64_t*>(each.data());
    };
    std::int64_t* const sizes = optional(lengths, "lengths");
    std::int64_t* const own = optional(numbers, "numbers");
    cuda::executor& ex = in_stream.executor();
    const registry::dtype element = named_type(type);
    awaited<std::uint64_t> count(in_stream);
    registry::gpu::encode_runs(ex, element, in.data(), in.size(), to.data(), sizes, count.data());
    if (own != nullptr) registry::gpu::number_runs(ex, element, in.data(), in.size(), own);
    return count.wait();
}

registry::repeat_counts counts_of(const layout& counts, const std::string& type, bool are_offsets) {
    counts.expect_sequence(counts.size());
    return {named_type(type), counts.data(), counts.size(), are_offsets};
}
registry::gpu::words_to_repeat words_of(const layout& in, std::size_t element_bytes, const layout& out) {
    in.expect_sequence(in.size());
    out.expect_sequence(out.size());
    return {in.data(), out.data(), in.size(), out.size(), element_bytes};
}

// How many results n elements have. Waits.
std::uint64_t count_repeats(stream& in_stream, nb::handle counts, const std::string& type, bool offsets,
                            std::size_t n) {
    const layout each(counts, offsets ? "offsets" : "repeats");
    each.expect_sequence(offsets ? n + 1 : n);
    if (each.size() == 0) return 0;
    awaited<registry::gpu::repeat_sum> sum(in_stream);
    registry::gpu::sum_repeats(in_stream.executor(), counts_of(each, type, offsets), sum.data());
    const registry::gpu::repeat_sum found = sum.wait();
    if (found.first != 0 || found.least < 0)
        throw nb::value_error(
            ("counts: must not be negative, but one is " + std::to_string(found.least)).c_str());
    return static_cast<std::uint64_t>(found.results);
}

// `counts`: int32 or int64, one an element, or offsets. As many results are written as there is room for.
void repeat(stream& in_stream, nb::handle a, std::size_t element_bytes, nb::handle counts,
            const std::string& type, bool offsets, nb::handle out) {
    const layout in(a, "a"), each(counts, "repeats"), to(out, "out");
    registry::gpu::repeat_words(in_stream.executor(), counts_of(each, type, offsets),
                                words_of(in, element_bytes, to), in_stream.count());
}
void repeat_all(stream& in_stream, nb::handle a, std::size_t element_bytes, std::uint64_t times,
                nb::handle out) {
    const layout in(a, "a"), to(out, "out");
    registry::gpu::repeat_words(in_stream.executor(), times, words_of(in, element_bytes, to),
                                in_stream.count());
}
// `out`: of int64.
void repeat_indices(stream& in_stream, nb::handle counts, const std::string& type, bool offsets,
                    nb::handle out) {
    const layout each(counts, "repeats"), to(out, "out");
    to.expect_sequence(to.size());
    registry::gpu::repeat_indices(in_stream.executor(), counts_of(each, type, offsets),
                                  static_cast<std::int64_t*>(to.data()), to.size(), in_stream.count());
}

// `out`: of numbers of 4 or 8 bytes, as many as `bytes` has; these should be no more than passed_bytes.
void store_numbers(stream& in_stream, const nb::bytes& bytes, std::size_t number_bytes, nb::handle out) {
    const layout to(out, "out");
    to.expect_sequence(bytes.size() / number_bytes);
    registry::gpu::store_numbers(in_stream.executor(), bytes.data(), bytes.size(), to.data());
}

// `found`: extremes_of(n) numbers.
void find_extremes(stream& in_stream, nb::handle a, const std::string& type, nb::handle found) {
    const layout in(a, "a"), to(found, "found");
    in.expect_sequence(in.size());
    to.expect_sequence(registry::gpu::extremes_of(in.size()));
    registry::gpu::find_extremes(in_stream.executor(), named_type(type), in.data(), in.size(), to.data());
}

void histogram(stream& in_stream, nb::handle a, const std::string& type, const limits& where,
               nb::handle counts) {
    const layout in(a, "a"), to(counts, "counts");
    in.expect_sequence(in.size());
    to.expect_sequence(to.size());
    registry::gpu::count_bins(in_stream.executor(), named_type(type), limits_of(where, to.size()), in.data(),
                              in.size(), static_cast<std::uint64_t*>(to.data()));
}

// The weights that elements count for have the plan's input type, their sums its output type.
void weighted_histogram(stream& in_stream, nb::handle a, const std::string& type, const limits& where,
                        const scan_plan& plan, nb::handle weights, nb::handle totals) {
    const layout in(a, "a"), beside(weights, "weights"), to(totals, "totals");
    in.expect_sequence(in.size());
    beside.expect_sequence(in.size());
    to.expect_sequence(to.size());
    const registry::dtype element = named_type(type);
    in_stream.with_scratch(in.size() + to.size(), [&](cuda::executor& executor) {
        registry::gpu::sum_bins(executor, element, limits_of(where, to.size()), in.data(), in.size(),
                                request_of(plan, false, false, std::nullopt), beside.data(), to.data());
    });
}

// One offset more than bins. `indices`: out is of int64.
void bins(stream& in_stream, nb::handle a, const std::string& type, const limits& where, nb::handle out,
          nb::handle offsets, bool indices) {
    const layout in(a, "a"), to(out, "out"), at(offsets, "offsets");
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    at.expect_sequence(at.size());
    const registry::dtype element = named_type(type);
    in_stream.with_scratch(in.size() + at.size(), [&](cuda::executor& executor) {
        registry::gpu::extract_bins(executor, element, limits_of(where, at.size() - 1), in.data(), in.size(),
                                    to.data(), indices, static_cast<std::uint64_t*>(at.data()));
    });
}

}  // namespace

void add_choices(nb::module_& module) {
    module.def("choose_compared", &choose_compared, nb::arg("stream"), nb::arg("a"), nb::arg("type"),
               nb::arg("sign"), nb::arg("number"), nb::arg("out"), nb::arg("packed"), nb::arg("indices"));
    module.def("choose", &choose, nb::arg("stream"), nb::arg("flags"), nb::arg("a").none(),
               nb::arg("element_bytes"), nb::arg("out"), nb::arg("packed"));
    module.def("mark_runs", &mark_runs, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("flags"));
    module.def("mark_offsets", &mark_offsets, nb::arg("stream"), nb::arg("offsets"), nb::arg("flags"));
    module.def("encode_runs", &encode_runs, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("out"),
               nb::arg("lengths").none(), nb::arg("numbers").none());
    module.def("count_repeats", &count_repeats, nb::arg("stream"), nb::arg("counts"), nb::arg("type"),
               nb::arg("offsets"), nb::arg("n"));
    module.def("repeat", &repeat, nb::arg("stream"), nb::arg("a"), nb::arg("element_bytes"),
               nb::arg("counts"), nb::arg("type"), nb::arg("offsets"), nb::arg("out"));
    module.def("repeat_all", &repeat_all, nb::arg("stream"), nb::arg("a"), nb::arg("element_bytes"),
               nb::arg("times"), nb::arg("out"));
    module.def("repeat_indices", &repeat_indices, nb::arg("stream"), nb::arg("counts"), nb::arg("type"),
               nb::arg("offsets"), nb::arg("out"));
    module.attr("passed_bytes") = registry::gpu::passed_bytes;
    module.def("store_numbers", &store_numbers, nb::arg("stream"), nb::arg("bytes"), nb::arg("number_bytes"),
               nb::arg("out"));
    module.def("extremes_of", &registry::gpu::extremes_of, nb::arg("n"));
    module.def("find_extremes", &find_extremes, nb::arg("stream"), nb::arg("a"), nb::arg("type"),
               nb::arg("found"));
    module.def("histogram", &histogram, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("limits"),
               nb::arg("counts"));
    module.def("weighted_histogram", &weighted_histogram, nb::arg("stream"), nb::arg("a"), nb::arg("type"),
               nb::arg("limits"), nb::arg("plan"), nb::arg("weights"), nb::arg("totals"));
    module.def("bins", &bins, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("limits"),
               nb::arg("out"), nb::arg("offsets"), nb::arg("indices"));
}

}  // namespace upsweep::python
