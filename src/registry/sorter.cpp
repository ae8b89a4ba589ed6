// From run-time types to sort() and sort_indices().
#include "registry/sorter.hpp"

#include <span>
#include <string>
#include <type_traits>

#include "registry/visit.hpp"
#include "upsweep/error.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::registry {
namespace {

// call(std::type_identity<Element>) of a type that has an order.
template <class Call>
void with_order(const device& where, dtype type, const Call& call) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": elements are sorted on the CPU only");
    visit_type(type, [&]<class Element>(std::type_identity<Element> element) {
        if constexpr (is_complex<Element>)
            throw_error(errc::invalid_argument,
                        std::string(name(type)) + " has no order to sort its elements in");
        else if constexpr (std::is_same_v<Element, bool>)
            call(std::type_identity<std::uint8_t>());
        else
            call(element);
    });
}

}  // namespace

void check_order(const device& where, dtype type) {
    with_order(where, type, [](auto) {});
}

void sort(const device& where, dtype type, const void* in, void* out, std::size_t n, bool descending) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        upsweep::sort(where.executor(), std::span(static_cast<const Element*>(in), n),
                      std::span(static_cast<Element*>(out), n), {.descending = descending});
    });
}

void sort_indices(const device& where, dtype type, const void* in, std::int64_t* out, std::size_t n,
                  bool descending) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        upsweep::sort_indices(where.executor(), std::span(static_cast<const Element*>(in), n),
                              std::span(out, n), {.descending = descending});
    });
}

std::uint64_t sort_scratch_bytes(dtype type, std::uint64_t n) { return n * size_of(type); }
std::uint64_t sort_indices_scratch_bytes(dtype type, std::uint64_t n) {
    const bool is_narrow = size_of(type) <= 4 && n <= std::uint64_t{1} << 32;
    return 2 * n * (is_narrow ? sizeof(std::uint64_t) : 2 * sizeof(std::uint64_t));
}

}  // namespace upsweep::registry
