// Lookup in the table of operators, and the rules on element types.
#include "registry/operation.hpp"

#include <array>

#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

struct operation_row {
    std::string_view name;
    std::string_view meaning;
};
constexpr std::array operation_rows = {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) operation_row{#name, meaning},
#include "upsweep/operators.def"
};

enum class kind { truth, integer, real, complex };

kind kind_of(dtype type) noexcept {
    if (type == dtype::bool8) return kind::truth;
    if (is_integer_type(type)) return kind::integer;
    return is_complex_type(type) ? kind::complex : kind::real;
}

bool is_logical(operation op) noexcept { return op == operation::logical_and || op == operation::logical_or; }
bool combines_arithmetically(operation op) noexcept {
    return op == operation::plus || op == operation::multiplies;
}
bool is_half_type(dtype type) noexcept { return type == dtype::float16 || type == dtype::bfloat16; }
dtype accumulated(dtype type) noexcept { return is_half_type(type) ? dtype::float32 : type; }

std::string text_of(dtype type) { return std::string(name(type)); }

// The first of `types` in which `op` can be evaluated for this input.
bool fits(operation op, dtype input, dtype accumulator) {
    return accepts(op, accumulator) && (is_logical(op) || converts(input, accumulator));
}

dtype default_accumulator(operation op, dtype input, std::optional<dtype> output) {
    if (is_logical(op)) return dtype::bool8;
    if (!combines_arithmetically(op)) return accumulated(input);
    return accumulated(output ? *output : scan_result(input));
}

}  // namespace

std::string_view name(operation op) noexcept { return operation_rows[static_cast<std::size_t>(op)].name; }
std::string_view meaning(operation op) noexcept {
    return operation_rows[static_cast<std::size_t>(op)].meaning;
}

const std::vector<operation>& operations() {
    static const std::vector<operation> all = {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) operation::name,
#include "upsweep/operators.def"
    };
    return all;
}

std::optional<operation> parse_operation(std::string_view text) noexcept {
    for (std::size_t i = 0; i < operation_rows.size(); ++i) {
        if (operation_rows[i].name == text) return static_cast<operation>(i);
    }
    return std::nullopt;
}

std::string operation_names() {
    std::string text;
    for (const operation_row& entry : operation_rows) {
        if (!text.empty()) text += ", ";
        text += entry.name;
    }
    return text;
}

bool accepts(operation op, dtype accumulator) noexcept {
    const kind held = kind_of(accumulator);
    if (is_half_type(accumulator)) return false;
    switch (op) {
        case operation::plus:
        case operation::multiplies:
            return held != kind::truth;
        case operation::minimum:
        case operation::maximum:
            return held != kind::complex;
        case operation::bit_and:
        case operation::bit_or:
        case operation::bit_xor:
            return held == kind::truth || held == kind::integer;
        case operation::logical_and:
        case operation::logical_or:
            return held == kind::truth;
    }
    return false;
}

bool is_exact(operation op, dtype accumulator) noexcept {
    return !combines_arithmetically(op) || kind_of(accumulator) <= kind::integer;
}

bool converts(dtype from, dtype to) noexcept { return kind_of(from) <= kind_of(to); }

scan_types resolve_types(operation op, dtype input, std::optional<dtype> output,
                         std::optional<dtype> accumulator) {
    scan_types types;
    types.input = input;
    types.accumulator = accumulator ? *accumulator : default_accumulator(op, input, output);
    if (!accepts(op, types.accumulator)) {
        if (accumulator && is_half_type(*accumulator)) {
            throw_error(errc::invalid_argument, text_of(*accumulator) + " accumulates in float32; name that");
        }
        throw_error(errc::invalid_argument,
                    std::string(name(op)) + " is not defined for " + text_of(types.accumulator));
    }
    if (!fits(op, input, types.accumulator)) {
        throw_error(errc::invalid_argument,
                    text_of(input) + " does not convert to " + text_of(types.accumulator) +
                        (kind_of(input) == kind::complex ? ": the imaginary part would be lost"
                                                         : ": the fraction would be lost"));
    }
    if (output) {
        types.output = *output;
    } else if (is_logical(op)) {
        types.output = dtype::bool8;
    } else {
        const dtype usual = combines_arithmetically(op) ? scan_result(input) : input;
        types.output = converts(types.accumulator, usual) ? usual : types.accumulator;
    }
    if (!converts(types.accumulator, types.output)) {
        throw_error(errc::invalid_argument, "results in " + text_of(types.accumulator) +
                                                " do not convert to " + text_of(types.output));
    }
    return types;
}

}  // namespace upsweep::registry
