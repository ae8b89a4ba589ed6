// Numbers of conditions turned into values of the elements' type, and the choosers on them.
#include "registry/chooser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registry/value.hpp"
#include "registry/visit.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/error.hpp"
#include "upsweep/partition.hpp"

namespace upsweep::registry {
namespace {

[[noreturn]] void fail(dtype type, const char* expected, std::string_view text) {
    throw_error(errc::invalid_argument, std::string(name(type)) + " is compared with " + expected +
                                            ", but \"" + std::string(text.substr(0, 60)) + "\" is none");
}

// A sign, of which `text` is rid: true for minus.
bool take_sign(std::string_view& text) {
    const bool negative = !text.empty() && text.front() == '-';
    if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
    return negative;
}

// What compares with every element of an integer type as `how` does with a number above (below) all of them.
template <class T>
compared_with<T> beyond(comparison how, bool above) {
    const bool is_less = how == comparison::less || how == comparison::less_equal;
    const bool is_greater = how == comparison::greater || how == comparison::greater_equal;
    const bool holds = how == comparison::not_equal || (above ? is_less : is_greater);
    return {holds ? comparison::greater_equal : comparison::less, std::numeric_limits<T>::min()};
}

template <class T>
compared_with<T> integer_comparison(const condition& given, dtype type) {
    const auto fail_number = [&] {
        fail(type, type == dtype::bool8 ? "an integer, true or false" : "an integer", given.number);
    };
    std::string_view digits = given.number;
    if (type == dtype::bool8) {
        if (digits == "true" || digits == "True") return {given.how, T(1)};
        if (digits == "false" || digits == "False") return {given.how, T(0)};
    }
    const bool negative = take_sign(digits);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) fail_number();
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    constexpr std::uint64_t most_below = std::is_signed_v<T> ? most + 1 : 0;  // of a negative number
    std::uint64_t magnitude = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (problem != std::errc() || magnitude > (negative ? most_below : most))
        return beyond<T>(given.how, !negative);
    return {given.how, static_cast<T>(negative ? 0 - magnitude : magnitude)};
}

// Of a number without sign that is too large or too small for its type: whether it is too large.
// is_large("0.01e9") == true
bool is_large(std::string_view text) {
    const std::size_t mark = text.find_first_of("eE");
    const std::string_view digits = text.substr(0, mark);
    const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
    const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
    std::int64_t exponent = 0;
    if (mark != std::string_view::npos) {
        std::string_view tail = text.substr(mark + 1);
        const bool negative = take_sign(tail);
        const auto [end, problem] = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
        if (problem != std::errc()) return !negative;
        if (negative) exponent = -exponent;
    }
    return exponent > first - point;
}

// Element is T, or a half, which compares as T = float.
template <class Element, class T>
compared_with<T> real_comparison(const condition& given, dtype type) {
    std::string_view text = given.number;
    const bool negative = take_sign(text);
    if (text.empty() || text.front() == '-' || text.back() == ')') fail(type, "a number", given.number);
    // Halves are rounded from double; rounding to float first would round twice.
    std::conditional_t<is_half<Element>, double, T> magnitude{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
    if (problem == std::errc::invalid_argument || end != text.data() + text.size())
        fail(type, "a number", given.number);
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const bool too_large = problem == std::errc::result_out_of_range && is_large(text);
    T number = 0;
    if (problem == std::errc()) number = static_cast<T>(static_cast<Element>(magnitude));
    if (too_large) number = infinity;
    if (!std::isinf(number) || text.front() == 'i' || text.front() == 'I')
        return {given.how, negative ? -number : number};
    // A finite number beyond the type's: infinity is on its other side, and nothing is equal to it.
    switch (given.how) {
        case comparison::less:
        case comparison::less_equal:
            if (negative) return {comparison::less_equal, -infinity};
            return {comparison::less, infinity};
        case comparison::greater_equal:
        case comparison::greater:
            if (negative) return {comparison::greater, -infinity};
            return {comparison::greater_equal, infinity};
        default:
            return {given.how, std::numeric_limits<T>::quiet_NaN()};
    }
}

// What elements are compared as.
template <class Element>
using compared_type =
    std::conditional_t<is_half<Element>, float,
                       std::conditional_t<std::is_same_v<Element, bool>, std::uint8_t, Element>>;

template <class Element>
compared_with<compared_type<Element>> comparison_of(const condition& given, dtype type) {
    using number = compared_type<Element>;
    if constexpr (std::is_integral_v<number>)
        return integer_comparison<number>(given, type);
    else
        return real_comparison<Element, number>(given, type);
}

void check_equality(comparison how, dtype type) {
    if (how == comparison::equal || how == comparison::not_equal) return;
    throw_error(errc::invalid_argument, std::string(name(type)) + " has no order; expected == or !=");
}

// By the compare kernels.
template <class Element>
class ordered_tests {
    using number = compared_type<Element>;

  public:
    ordered_tests(dtype type, std::span<const condition> conditions, cpu::simd_level level)
        : memory_(cpu::memory_kernels_for(level)), compare_(cpu::compare_kernel_for<number>(level)) {
        for (const condition& one : conditions) tests_.push_back(comparison_of<Element>(one, type));
    }

    void mark(const Element* x, std::size_t count, std::uint64_t* bits) const {
        for (std::size_t i = 0; i < count; i += step)
            mark_step(x + i, std::min(step, count - i), bits + i / 64);
    }

  private:
    static constexpr std::size_t step = 1024;

    void mark_step(const Element* x, std::size_t count, std::uint64_t* bits) const {
        if constexpr (is_half<Element>) {
            std::array<float, step> numbers;
            const auto source = cpu::make_source<float>(x);
            source.load(source, memory_, 0, count, numbers.data());
            mark_numbers(numbers.data(), count, bits);
        } else if constexpr (std::is_same_v<Element, bool>) {
            mark_numbers(reinterpret_cast<const std::uint8_t*>(x), count, bits);
        } else {
            mark_numbers(x, count, bits);
        }
    }
    void mark_numbers(const number* x, std::size_t count, std::uint64_t* bits) const {
        compare_(x, count, tests_.front(), bits);
        for (std::size_t k = 1; k < tests_.size(); ++k) {
            std::array<std::uint64_t, step / 64> more;
            compare_(x, count, tests_[k], more.data());
            for (std::size_t word = 0; word < cpu::words_of(count); ++word) bits[word] &= more[word];
        }
    }

    const cpu::memory_kernels& memory_;
    cpu::compare_kernel<number> compare_;
    std::vector<compared_with<number>> tests_;
};

// Complex numbers, which have no order.
template <class Element>
class equality_tests {
  public:
    equality_tests(dtype type, std::span<const condition> conditions, cpu::simd_level level)
        : memory_(cpu::memory_kernels_for(level)) {
        for (const condition& one : conditions) {
            check_equality(one.how, type);
            tests_.push_back({parse_value(one.number, type).as<Element>(), one.how == comparison::equal});
        }
    }

    void mark(const Element* x, std::size_t count, std::uint64_t* bits) const {
        cpu::mark_each<Element>(memory_, count, bits, [&](std::size_t i) {
            return std::all_of(tests_.begin(), tests_.end(),
                               [&](const test& one) { return (x[i] == one.number) == one.is_equal; });
        });
    }

  private:
    struct test {
        Element number;
        bool is_equal;
    };
    const cpu::memory_kernels& memory_;
    std::vector<test> tests_;
};

template <class Element>
class typed_chooser final : public chooser {
  public:
    typed_chooser(cpu::executor& executor, dtype type, std::span<const condition> conditions)
        : executor_(executor), tests_(type, conditions, executor.simd()) {}

    std::size_t compact(const void* in, void* out, std::size_t n) const override {
        return run_compact(in, elements(in, out), n);
    }
    std::size_t partition(const void* in, void* out, std::size_t n) const override {
        return run_partition(in, elements(in, out), n);
    }
    std::size_t compact_indices(const void* in, std::int64_t first, std::int64_t* out,
                                std::size_t n) const override {
        const std::size_t chosen = run_compact(in, upsweep::detail::transfer_of_indices(out, n), n);
        shift(out, chosen, first);
        return chosen;
    }
    std::size_t partition_indices(const void* in, std::int64_t first, std::int64_t* out,
                                  std::size_t n) const override {
        const std::size_t chosen = run_partition(in, upsweep::detail::transfer_of_indices(out, n), n);
        shift(out, n, first);
        return chosen;
    }
    [[nodiscard]] bool chooses(const void* element) const override {
        std::uint64_t bits = 0;
        tests_.mark(static_cast<const Element*>(element), 1, &bits);
        return bits != 0;
    }

  private:
    using tests = std::conditional_t<is_complex<Element>, equality_tests<Element>, ordered_tests<Element>>;
    struct block {
        const tests& by;
        const Element* elements;
    };

    static void mark(const cpu::choice& which, const cpu::memory_kernels&, std::size_t first,
                     std::size_t count, std::uint64_t* bits) {
        const auto& own = *static_cast<const block*>(which.context);
        own.by.mark(own.elements + first, count, bits);
    }
    static cpu::transfer elements(const void* in, void* out) {
        return upsweep::detail::transfer_of(static_cast<const Element*>(in), static_cast<Element*>(out));
    }
    // What is marked is what is moved, unless indices are.
    static cpu::choice choice_of(const block& own, const cpu::transfer& way) {
        return {&own, &mark, way.in == nullptr ? sizeof(Element) : 0};
    }
    std::size_t run_compact(const void* in, const cpu::transfer& way, std::size_t n) const {
        const block own{tests_, static_cast<const Element*>(in)};
        return n == 0 ? 0 : cpu::run_compact(executor_, choice_of(own, way), way, n, n, false);
    }
    std::size_t run_partition(const void* in, const cpu::transfer& way, std::size_t n) const {
        const block own{tests_, static_cast<const Element*>(in)};
        return n == 0 ? 0 : cpu::run_partition(executor_, choice_of(own, way), way, n);
    }
    static void shift(std::int64_t* indices, std::size_t n, std::int64_t first) {
        for (std::size_t i = 0; i < n; ++i) indices[i] += first;
    }

    cpu::executor& executor_;
    tests tests_;
};

}  // namespace

condition_value resolve(const condition& given, dtype type) {
    return visit_type(type, [&]<class Element>(std::type_identity<Element>) -> condition_value {
        if constexpr (is_complex<Element>) {
            check_equality(given.how, type);
            return {given.how, parse_value(given.number, type)};
        } else {
            const auto resolved = comparison_of<Element>(given, type);
            const dtype as = is_half<Element> ? dtype::float32 : type == dtype::bool8 ? dtype::uint8 : type;
            return {resolved.how, value::of(as, resolved.value)};
        }
    });
}

std::unique_ptr<chooser> make_chooser(const device& where, dtype type,
                                      std::span<const condition> conditions) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": elements are chosen on the CPU only");
    if (conditions.empty()) throw_error(errc::invalid_argument, "conditions: expected at least one");
    return visit_type(type, [&]<class Element>(std::type_identity<Element>) -> std::unique_ptr<chooser> {
        return std::make_unique<typed_chooser<Element>>(where.executor(), type, conditions);
    });
}

}  // namespace upsweep::registry
