// Compaction and partition, by flags or by a comparison with a number.
#include <nanobind/stl/optional.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "python/common/comparison.hpp"
#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/chooser.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/partition.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;
using words = std::array<std::uint64_t, 2>;  // a complex128, which is moved bit for bit

// Elements are moved as so many bytes, whatever they are.
template <class Word>
std::size_t move_flagged(cpu::executor& executor, const std::uint8_t* flags, const array& in, const array& to,
                         bool packed) {
    const std::size_t n = in.size();
    const std::span chosen(flags, n);
    const std::span from(static_cast<const Word*>(in.data()), n);
    const std::span into(static_cast<Word*>(to.data()), n);
    return packed ? compact(executor, chosen, from, into) : partition(executor, chosen, from, into);
}

std::size_t choose_flagged(nb::handle a, const std::string& type, nb::handle flags, nb::handle out,
                           bool packed) {
    const array in(a, "a", named_type(type), access::read);
    const array chosen(flags, "condition", registry::dtype::bool8, access::read);
    const array to(out, "out", in.type(), access::write);
    for (const array* const each : {&in, &chosen, &to}) each->expect_sequence(in.size());
    const auto* const marks = static_cast<const std::uint8_t*>(chosen.data());
    const auto device = processor();
    const unlocked others(in.bytes());
    switch (registry::size_of(in.type())) {
        case 1:
            return move_flagged<std::uint8_t>(device->executor(), marks, in, to, packed);
        case 2:
            return move_flagged<std::uint16_t>(device->executor(), marks, in, to, packed);
        case 4:
            return move_flagged<std::uint32_t>(device->executor(), marks, in, to, packed);
        case 8:
            return move_flagged<std::uint64_t>(device->executor(), marks, in, to, packed);
        default:
            return move_flagged<words>(device->executor(), marks, in, to, packed);
    }
}

std::size_t choose_flagged_indices(nb::handle flags, nb::handle out, bool packed) {
    const array chosen(flags, "condition", registry::dtype::bool8, access::read);
    const array to(out, "out", registry::dtype::int64, access::write);
    const std::size_t n = chosen.size();
    chosen.expect_sequence(n);
    to.expect_sequence(n);
    const auto device = processor();
    const unlocked others(chosen.bytes());
    const std::span marks(static_cast<const std::uint8_t*>(chosen.data()), n);
    const std::span into(static_cast<std::int64_t*>(to.data()), n);
    return packed ? compact_indices(device->executor(), marks, into)
                  : partition_indices(device->executor(), marks, into);
}

// `indices`: out is of int64.
std::size_t choose_compared(nb::handle a, const std::string& type, const std::string& sign,
                            const std::string& number, nb::handle out, bool packed, bool indices) {
    const array in(a, "a", named_type(type), access::read);
    const array to(out, "out", indices ? registry::dtype::int64 : in.type(), access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    const std::array conditions{registry::condition{comparison_of(sign), number}};
    const auto device = processor();
    const auto chooser = registry::make_chooser(*device, in.type(), conditions);
    const unlocked others(in.bytes());
    if (indices) {
        auto* const into = static_cast<std::int64_t*>(to.data());
        return packed ? chooser->compact_indices(in.data(), 0, into, in.size())
                      : chooser->partition_indices(in.data(), 0, into, in.size());
    }
    return packed ? chooser->compact(in.data(), to.data(), in.size())
                  : chooser->partition(in.data(), to.data(), in.size());
}

}  // namespace

void add_choices(nb::module_& module) {
    module.def("choose_flagged", &choose_flagged, nb::arg("a"), nb::arg("type"), nb::arg("flags"),
               nb::arg("out"), nb::arg("packed"));
    module.def("choose_flagged_indices", &choose_flagged_indices, nb::arg("flags"), nb::arg("out"),
               nb::arg("packed"));
    module.def("choose_compared", &choose_compared, nb::arg("a"), nb::arg("type"), nb::arg("sign"),
               nb::arg("number"), nb::arg("out"), nb::arg("packed"), nb::arg("indices"));
}

}  // namespace upsweep::python
