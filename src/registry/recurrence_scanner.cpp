// Recurrences by the CPU's engine, from elements of any real type.
#include "registry/recurrence_scanner.hpp"

#include <string>
#include <vector>

#include "registry/staging.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/recurrence.hpp"
#include "upsweep/cpu/recurrence_starts.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

bool is_floating(dtype type) {
    return type == dtype::float16 || type == dtype::bfloat16 || type == dtype::float32 ||
           type == dtype::float64;
}

// A source whose elements are multiplied by a weight as they are loaded.
template <class T>
struct weighting {
    T weight;
    decltype(cpu::source<T>::load) load;
};
template <class T>
void load_weighted(const cpu::source<T>& from, const cpu::memory_kernels& memory, std::size_t first,
                   std::size_t count, T* to) {
    const auto& how = *static_cast<const weighting<T>*>(from.function);
    how.load(from, memory, first, count, to);
    for (std::size_t i = 0; i < count; ++i) to[i] *= how.weight;
}

// A sink that also keeps the last of n results as it was computed.
template <class T>
struct keeping {
    cpu::sink<T> results;
    std::size_t n;
    T last{};
};
template <class T>
void store_keeping(const cpu::sink<T>& into, const cpu::memory_kernels& memory, std::size_t first,
                   std::size_t count, const T* from) {
    auto& kept = *static_cast<keeping<T>*>(into.data);
    kept.results.store(kept.results, memory, first, count, from);
    if (first + count == kept.n) kept.last = from[count - 1];
}

template <class T>
class typed_recurrence final : public recurrence_scanner {
  public:
    typed_recurrence(cpu::executor& executor, const recurrence_request& request)
        : executor_(executor),
          memory_(cpu::memory_kernels_for(executor.simd())),
          types_(request.types),
          coefficients_(request.coefficients),
          reverse_(request.reverse) {
        if (request.coefficient) coefficient_ = request.coefficient->as<T>();
        if (request.weight) {
            weighting_.weight = request.weight->as<T>();
            coefficient_ = T(1) - weighting_.weight;
            is_weighted_ = true;
        }
        if (request.x0) x0_ = request.x0->as<T>();
        starts_with_element_ = is_weighted_ && !request.x0;
        restart();
    }

    [[nodiscard]] std::size_t multiple() const override { return core::super_size; }

    void take_coefficients(const void* a) override { beside_ = a; }

    void scan(const void* in, void* out, std::size_t n) override {
        if (n == 0) return;
        check_block(count_, core::super_size);
        last_ = recur({in, beside_, out, n}, count_ == 0 ? std::nullopt : std::optional(last_));
        count_ += n;
    }

    void scan_segments(const void* in, const std::uint8_t* heads, void* out, std::size_t n) override {
        if (count_ != 0) throw_error(errc::invalid_argument, "segments: all of them are given at once");
        for (std::size_t first = 0; first < n;) {
            std::size_t end = first + 1;
            while (end < n && heads[end] == 0) ++end;
            const auto at = [&](auto* bytes, dtype type) { return bytes + first * size_of(type); };
            last_ =
                recur({at(static_cast<const std::byte*>(in), types_.input),
                       coefficients_ ? at(static_cast<const std::byte*>(beside_), *coefficients_) : nullptr,
                       at(static_cast<std::byte*>(out), types_.output), end - first},
                      std::nullopt);
            first = end;
        }
        count_ = n;
    }

    void scan_axis(const void* in, void* out, const axis_layout& layout) override {
        const auto direction = check_axis(types_, in, out, layout);
        if (!direction) return;
        const std::vector<std::int64_t> none(layout.shape.size(), 0);
        core::axis_geometry geometry(layout.shape, coefficients_ ? layout.in_strides : std::span(none),
                                     layout.in_strides, layout.out_strides, *direction);
        core::axis_geometry::offsets first{0, 0, 0};
        if (reverse_) first = geometry.turn();
        const auto elements =
            cpu::moved(make_source<T>({}, types_.input, in, geometry.second_stride), first.second);
        const auto a =
            coefficients_
                ? cpu::moved(make_source<T>({}, *coefficients_, beside_, geometry.in_stride), first.in)
                : cpu::make_source<T>(&coefficient_, 0);
        const auto to = cpu::moved(make_sink<T>({}, types_.output, out, geometry.out_stride), first.out);
        if (starts_with_element_)
            cpu::run_axis_recurrence<T>(executor_, a, weighted(elements), elements, to, geometry, in == out);
        else
            cpu::run_axis_recurrence<T>(executor_, a, weighted(elements), x0_, to, geometry, in == out);
    }

    [[nodiscard]] value total() const override { return value::of(types_.accumulator, last_); }
    [[nodiscard]] std::uint64_t count() const override { return count_; }
    void restart() override {
        count_ = 0;
        last_ = x0_;
    }

  private:
    struct stretch {
        const void* in;
        const void* coefficients;
        void* out;
        std::size_t n;
    };

    // The end of n elements from which the recurrence runs.
    template <class End>
    [[nodiscard]] End turned(const End& from, std::size_t n) const {
        return reverse_ ? cpu::moved(from, static_cast<std::ptrdiff_t>(n) - 1) : from;
    }
    [[nodiscard]] cpu::source<T> weighted(cpu::source<T> elements) {
        if (!is_weighted_) return elements;
        weighting_.load = elements.load;
        elements.plain = false;
        elements.direct = nullptr;
        elements.function = &weighting_;
        elements.load = &load_weighted<T>;
        return elements;
    }

    // From `before` on, or else from where a sequence starts; returns the last result.
    T recur(const stretch& all, std::optional<T> before) {
        const std::ptrdiff_t stride = reverse_ ? -1 : 1;
        const auto elements = turned(make_source<T>({}, types_.input, all.in, stride), all.n);
        const auto a = coefficients_
                           ? turned(make_source<T>({}, *coefficients_, all.coefficients, stride), all.n)
                           : cpu::make_source<T>(&coefficient_, 0);
        const auto to = turned(make_sink<T>({}, types_.output, all.out, stride), all.n);
        T start = before.value_or(x0_);
        if (!before && starts_with_element_) elements.load(elements, memory_, 0, 1, &start);
        const bool in_place = all.out == all.in || all.out == all.coefficients;
        const std::size_t bytes =
            elements.element_size + to.element_size + (coefficients_ ? a.element_size : 0);
        const cpu::scan_shape shape{all.n, false, in_place, all.n * bytes};
        if (to.plain) {
            cpu::run_recurrence<T>(executor_, a, weighted(elements), start, to, shape);
            return static_cast<const T*>(all.out)[reverse_ ? 0 : all.n - 1];
        }
        keeping<T> kept{to, all.n};
        cpu::sink<T> into = to;
        into.data = &kept;
        into.store = &store_keeping<T>;
        cpu::run_recurrence<T>(executor_, a, weighted(elements), start, into, shape);
        return kept.last;
    }

    cpu::executor& executor_;
    const cpu::memory_kernels& memory_;
    scan_types types_;
    std::optional<dtype> coefficients_;
    bool reverse_;
    T coefficient_{};
    T x0_{};
    weighting<T> weighting_{};
    bool is_weighted_ = false;
    bool starts_with_element_ = false;
    const void* beside_ = nullptr;
    std::uint64_t count_ = 0;
    T last_{};
};

}  // namespace

scan_types resolve_recurrence_types(dtype elements, std::optional<dtype> coefficients,
                                    std::optional<dtype> output, std::optional<dtype> accumulator) {
    const auto fail = [](dtype type, const std::string& problem) {
        throw_error(errc::invalid_argument, std::string(name(type)) + problem);
    };
    if (is_complex_type(elements)) fail(elements, ": recurrences are of real numbers");
    if (coefficients && is_complex_type(*coefficients))
        fail(*coefficients, ": coefficients of recurrences are real numbers");
    const auto is_narrow = [](dtype type) { return is_floating(type) && type != dtype::float64; };
    scan_types types;
    types.input = elements;
    if (accumulator) {
        types.accumulator = *accumulator;
        if (is_floating(*accumulator) && size_of(*accumulator) == 2)
            fail(*accumulator, " accumulates in float32; name that");
        if (!is_floating(*accumulator))
            fail(*accumulator, ": recurrences are computed in float32 or float64");
    } else if (output) {
        types.accumulator = is_narrow(*output) ? dtype::float32 : dtype::float64;
    } else {
        const bool wide = coefficients && *coefficients == dtype::float64;
        types.accumulator = is_narrow(elements) && !wide ? dtype::float32 : dtype::float64;
    }
    types.output = output ? *output : is_floating(elements) ? elements : types.accumulator;
    if (!is_floating(types.output)) fail(types.output, ": results of recurrences are floating-point numbers");
    return types;
}

std::unique_ptr<recurrence_scanner> make_recurrence_scanner(const device& where,
                                                            const recurrence_request& request) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": recurrences run on the cpu");
    const dtype held = request.types.accumulator;
    for (const auto* given : {&request.coefficient, &request.weight, &request.x0}) {
        if (*given && (*given)->type() != held) {
            throw_error(errc::invalid_argument, std::string(name((*given)->type())) +
                                                    ": a number of a recurrence that is computed in " +
                                                    std::string(name(held)));
        }
    }
    if (held == dtype::float64) return std::make_unique<typed_recurrence<double>>(where.executor(), request);
    if (held == dtype::float32) return std::make_unique<typed_recurrence<float>>(where.executor(), request);
    throw_error(errc::invalid_argument,
                std::string(name(held)) + ": recurrences are computed in float32 or float64");
}

}  // namespace upsweep::registry
