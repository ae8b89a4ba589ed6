// Elements repeated as often as counts say.
#include <cstddef>
#include <cstdint>
#include <string>

#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/repeater.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// Counts, or offsets, which are held as long as it lives.
class given_counts {
  public:
    given_counts(nb::handle counts, const std::string& type, bool are_offsets)
        : each_(counts, are_offsets ? "offsets" : "repeats", named_type(type), access::read),
          are_offsets_(are_offsets) {
        each_.expect_sequence(each_.size());
    }

    [[nodiscard]] std::size_t bytes() const { return each_.bytes(); }
    [[nodiscard]] registry::repeat_counts of() const {
        return {each_.type(), each_.data(), each_.size(), are_offsets_};
    }

  private:
    array each_;
    bool are_offsets_;
};

// How many results n elements have.
std::uint64_t count_repeats(nb::handle counts, const std::string& type, bool offsets, std::size_t n) {
    const given_counts given(counts, type, offsets);
    const auto device = processor();
    const unlocked others(given.bytes());
    return registry::count_repeats(*device, given.of(), n);
}

// `a` and `out` are bytes, of which there are some: of `sequences` of n elements each, and of their results.
// Returns how many results a sequence has.
std::uint64_t repeat(nb::handle a, std::size_t sequences, std::size_t n, nb::handle counts,
                     const std::string& type, bool offsets, nb::handle out) {
    const array in(a, "a", registry::dtype::uint8, access::read);
    const array to(out, "out", registry::dtype::uint8, access::write);
    const given_counts given(counts, type, offsets);
    in.expect_sequence(in.size());
    to.expect_sequence(to.size());
    const std::size_t bytes = in.size() / (sequences * n);
    const auto device = processor();
    const unlocked others(given.bytes() + in.bytes() + to.bytes());
    return registry::repeat_rows(*device, given.of(),
                                 {.in = in.data(),
                                  .out = to.data(),
                                  .sequences = sequences,
                                  .n = n,
                                  .bytes = bytes,
                                  .room = to.size() / (sequences * bytes)});
}

// `out`: of int64. Returns how many results there are.
std::uint64_t repeat_indices(nb::handle counts, const std::string& type, bool offsets, nb::handle out) {
    const given_counts given(counts, type, offsets);
    const array to(out, "out", registry::dtype::int64, access::write);
    to.expect_sequence(to.size());
    const auto device = processor();
    const unlocked others(given.bytes() + to.bytes());
    return registry::repeat_indices(*device, given.of(), static_cast<std::int64_t*>(to.data()), to.size());
}

}  // namespace

void add_repeats(nb::module_& module) {
    module.def("count_repeats", &count_repeats, nb::arg("counts"), nb::arg("type"), nb::arg("offsets"),
               nb::arg("n"));
    module.def("repeat", &repeat, nb::arg("a"), nb::arg("sequences"), nb::arg("n"), nb::arg("counts"),
               nb::arg("type"), nb::arg("offsets"), nb::arg("out"));
    module.def("repeat_indices", &repeat_indices, nb::arg("counts"), nb::arg("type"), nb::arg("offsets"),
               nb::arg("out"));
}

}  // namespace upsweep::python
