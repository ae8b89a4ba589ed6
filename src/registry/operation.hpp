// The operators of operators.def as run-time values, and the rule that gives a scan its three element types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dtype.hpp"

namespace upsweep::registry {

// The operators on single values, in the order of the table. Those on structs need types that no file holds.
enum class operation {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) name,
#include "upsweep/operators.def"
};

[[nodiscard]] std::string_view name(operation op) noexcept;
[[nodiscard]] std::string_view meaning(operation op) noexcept;
[[nodiscard]] std::optional<operation> parse_operation(std::string_view text) noexcept;
[[nodiscard]] const std::vector<operation>& operations();
// All names, separated by ", ".
[[nodiscard]] std::string operation_names();

// Whether `op` can be evaluated in accumulators of that type. float16 and bfloat16 accumulate in float32.
[[nodiscard]] bool accepts(operation op, dtype accumulator) noexcept;
// Whether its totals are the same in any order and grouping of the elements.
[[nodiscard]] bool is_exact(operation op, dtype accumulator) noexcept;
// Whether values convert: bool to integers to floating point to complex. Integers wrap and floats round to
// what the target holds; what would lose a fraction or an imaginary part does not convert.
[[nodiscard]] bool converts(dtype from, dtype to) noexcept;

struct scan_types {
    dtype input = dtype::float64;
    dtype accumulator = dtype::float64;
    dtype output = dtype::float64;
    friend bool operator==(const scan_types&, const scan_types&) = default;
};

// What is not named follows numpy.cumulative_sum: sums and products of integers widen to 64 bits, floats keep
// their type, and the accumulator is the output's type. Minimum, maximum and bitwise operators keep and
// accumulate in the input's type; logical ones give bool. Throws upsweep::error (invalid_argument) where the
// types do not fit.
[[nodiscard]] scan_types resolve_types(operation op, dtype input, std::optional<dtype> output = {},
                                       std::optional<dtype> accumulator = {});

}  // namespace upsweep::registry
