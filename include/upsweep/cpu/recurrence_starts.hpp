// Linear recurrences along an axis of which every sequence starts from a number of its own, as exponential
// smoothing does from the first element.
#pragma once

#include "upsweep/cpu/recurrence.hpp"

namespace upsweep::cpu {

// As the other one with a number for all; the x0 of a sequence is what `starts` has where the sequence begins
// in b. `starts` may be memory that is written: a sequence's x0 is read before its first result is stored.
template <class T>
void run_axis_recurrence(executor& ex, const source<T>& a, const source<T>& b, const source<T>& starts,
                         const sink<T>& out, const core::axis_geometry& geometry, bool in_place);

extern template void run_axis_recurrence<float>(executor&, const source<float>&, const source<float>&,
                                                const source<float>&, const sink<float>&,
                                                const core::axis_geometry&, bool);
extern template void run_axis_recurrence<double>(executor&, const source<double>&, const source<double>&,
                                                 const source<double>&, const sink<double>&,
                                                 const core::axis_geometry&, bool);

}  // namespace upsweep::cpu
