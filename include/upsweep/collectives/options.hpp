// What every scan over a group takes besides its elements and its operator.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/portability.hpp"

namespace upsweep {

// The same for all threads of the group.
//
// An exclusive scan needs an initial value or an operator with an identity; with neither, the first thread's
// result is unspecified. That of the others needs no identity.
template <class T>
struct group_scan_options {
    std::optional<T> initial{};  // stands to the left of everything
    T* total =
        nullptr;  // becomes the fold of everything, the initial value included; for each thread its own
};

namespace core {

// initial (+) x, or x if there is no initial value.
UPSWEEP_EITHER_SIDE
template <class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T after_initial(const group_scan_options<T>& options, const T& x,
                                                          const Op& op) {
    return options.initial ? T(op(*options.initial, x)) : x;
}

// What an exclusive scan gives to the first thread.
UPSWEEP_EITHER_SIDE
template <class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T before_first(const group_scan_options<T>& options,
                                                         const T& unspecified, const Op& op) {
    if (options.initial) return *options.initial;
    if constexpr (has_identity<Op, T>)
        return identity_of<T>(op);
    else
        return unspecified;
}

}  // namespace core
}  // namespace upsweep
