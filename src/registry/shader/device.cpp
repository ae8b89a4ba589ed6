// Scanners of host memory on devices with shaders, and what is refused there.
#include "registry/shader/device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "registry/piecewise_scanner.hpp"
#include "registry/visit.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry {
namespace {

// On held accumulators; nothing where the stages lack it.
std::optional<shader::operation> stage_operation(operation op, dtype held) {
    return visit_type(held, [&]<class T>(std::type_identity<T>) -> std::optional<shader::operation> {
        const auto of = [&]<class Op>(std::type_identity<Op>) -> std::optional<shader::operation> {
            if constexpr (shader::supported<Op, T>)
                return shader::operation_of<Op, T>();
            else
                return std::nullopt;
        };
        switch (op) {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    case operation::name:                                            \
        return of(std::type_identity<upsweep::name>{});
#include "upsweep/operators.def"
        }
        return std::nullopt;
    });
}

// How findings on an operation begin (shader/conformance.cpp); empty for what is integer arithmetic in the
// stages.
std::string checked_name(const shader::operation& op) {
    const bool sums = op.line == shader::operator_line::plus;
    if (!sums && op.line != shader::operator_line::multiplies) return {};
    if (op.type == shader::element_type::float32) return sums ? "float sums" : "float products";
    if (op.type == shader::element_type::float64) return sums ? "double sums" : "double products";
    return {};
}

// "plus in float32"
std::string words_for(operation op, dtype accumulator) {
    std::string words(name(op));
    words += " in ";
    words += name(accumulator);
    return words;
}

// What an array spans: so many elements, of which number `first` is the one with indices 0.
struct array_range {
    std::size_t first = 0;
    std::size_t elements = 0;

    array_range(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
        const upsweep::detail::view_reach reach = upsweep::detail::reach_of(shape, strides);
        first = static_cast<std::size_t>(-reach.lowest);
        elements = static_cast<std::size_t>(reach.highest - reach.lowest) + 1;
    }
};

// An array whose accumulators are on the device: as it is in memory, where every element in its range is its
// own, or else in C order.
struct packed_array {
    std::array<std::int64_t, max_rank> strides{};
    array_range range;
    bool as_it_is;

    packed_array(std::span<const std::int64_t> shape, std::span<const std::int64_t> given)
        : range(shape, given) {
        std::size_t size = 1;
        bool repeats = false;
        for (std::size_t k = 0; k < shape.size(); ++k) {
            size *= static_cast<std::size_t>(shape[k]);
            repeats = repeats || (given[k] == 0 && shape[k] > 1);
        }
        as_it_is = !repeats && size == range.elements;
        if (as_it_is) {
            std::ranges::copy(given, strides.begin());
            return;
        }
        range.first = 0;
        range.elements = size;
        std::int64_t stride = 1;
        for (std::size_t k = shape.size(); k-- != 0;) {
            strides[k] = stride;
            stride *= shape[k];
        }
    }
};

// visit(place in memory from element (0, 0, ...) on, place in C order, how many neighbours) for all of an
// array.
template <class Visit>
void for_each_line(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                   const Visit& visit) {
    const std::size_t last = shape.size() - 1;
    const bool neighbours = strides[last] == 1;
    const std::int64_t count = neighbours ? shape[last] : 1;
    std::array<std::int64_t, max_rank> index{};
    std::int64_t place = 0;
    std::int64_t packed = 0;
    for (;;) {
        visit(place, packed, static_cast<std::size_t>(count));
        packed += count;
        std::size_t k = neighbours ? last : shape.size();
        for (; k-- != 0;) {
            place += strides[k];
            if (++index[k] < shape[k]) break;
            place -= shape[k] * strides[k];
            index[k] = 0;
        }
        if (k == static_cast<std::size_t>(-1)) return;
    }
}

class shader_scanner final : public piecewise_scanner {
  public:
    shader_scanner(shader_device& device, const scan_request& request, const std::string& name,
                   const shader::operation& op)
        : piecewise_scanner(name, request),
          device_(device),
          how_{op, request.exclusive, request.reverse, {}},
          converts_in_(!is_held(request.types.input)),
          converts_out_(!is_held(request.types.output)) {}

    void scan_axis(const void* in, void* out, const axis_layout& layout) override {
        const auto axis = check_axis(request().types, in, out, layout);
        if (!axis) return;
        const packed_array from(layout.shape, layout.in_strides);
        const packed_array to(layout.shape, layout.out_strides);
        const std::size_t size = held_size();
        std::vector<std::byte> held_in(from.range.elements * size);
        std::vector<std::byte> held_out(to.range.elements * size);
        const auto* const x = static_cast<const std::byte*>(in);
        auto* const y = static_cast<std::byte*>(out);
        if (from.as_it_is) {
            load_held(loads(), x - from.range.first * in_size(), held_in.data(), from.range.elements);
        } else {
            for_each_line(layout.shape, layout.in_strides,
                          [&](std::int64_t place, std::int64_t packed, std::size_t count) {
                              load_held(loads(), x + place * static_cast<std::int64_t>(in_size()),
                                        held_in.data() + static_cast<std::size_t>(packed) * size, count);
                          });
        }
        // An identity of the accumulator has other bits than one of the type that holds it; it changes no
        // result.
        shader_scan how = how_;
        how.initial.reset();
        if (request().initial || request().exclusive)
            std::memcpy(how.initial.emplace().data(), start().data(), sizeof(words));
        const std::size_t rank = layout.shape.size();
        device_.scan_axis(how, {held_in, from.range.first, layout.shape, std::span(from.strides).first(rank)},
                          {held_out, to.range.first, layout.shape, std::span(to.strides).first(rank)},
                          static_cast<int>(*axis));
        if (to.as_it_is) {
            store_held(stores(), held_out.data(), y - to.range.first * out_size(), to.range.elements);
            return;
        }
        for_each_line(layout.shape, layout.out_strides,
                      [&](std::int64_t place, std::int64_t packed, std::size_t count) {
                          store_held(stores(), held_out.data() + static_cast<std::size_t>(packed) * size,
                                     y + place * static_cast<std::int64_t>(out_size()), count);
                      });
    }

  private:
    using words = std::array<std::uint32_t, 4>;

    // Elements of that type have the bits of the accumulators that are held.
    [[nodiscard]] bool is_held(dtype type) const {
        return type == request().types.accumulator && type != dtype::bool8 && size_of(type) == held_size();
    }
    [[nodiscard]] std::size_t held_size() const { return size_of(held()); }

    void run(const piece& next) override {
        const std::size_t bytes = next.n * held_size();
        if (converts_in_ || converts_out_) memory_.resize(std::max(memory_.size(), bytes));
        std::span<const std::byte> in(next.in, bytes);
        std::span<std::byte> out(next.out, bytes);
        if (converts_in_) {
            load_held(loads(), next.in, memory_.data(), next.n);
            in = {memory_.data(), bytes};
        }
        if (converts_out_) out = {memory_.data(), bytes};

        const bool first = count() == 0;
        how_.initial.reset();
        if (!first) how_.initial = total_;
        if (first && request().initial)
            std::memcpy(how_.initial.emplace().data(), start().data(), sizeof(words));
        device_.scan(how_, in, out, std::as_writable_bytes(std::span(total_)).first(held_size()));
        if (first && request().exclusive) {
            const std::size_t at = request().reverse ? next.n - 1 : 0;
            std::memcpy(out.data() + at * held_size(), start().data(), held_size());
        }
        if (converts_out_) store_held(stores(), memory_.data(), next.out, next.n);
    }

    value finish() override {
        return visit_type(held(), [&]<class T>(std::type_identity<T>) {
            T total;
            std::memcpy(static_cast<void*>(&total), total_.data(), sizeof(T));
            return value::of(held(), total);
        });
    }

    shader_device& device_;
    shader_scan how_;
    bool converts_in_, converts_out_;
    std::vector<std::byte> memory_;  // of a piece, as held
    words total_{};                  // of everything so far
};

}  // namespace

shader::operation shader_device::checked_operation(operation op, dtype held, const std::string& words) {
    const auto known = stage_operation(op, held);
    if (!known || !supports(*known))
        throw_error(errc::unsupported, words + " is unsupported there; the cpu has it");
    const std::string checked = checked_name(*known);
    for (const std::string& finding : findings()) {
        if (checked.empty() || finding.rfind(checked, 0) != 0) continue;
        std::string refusal = words;
        refusal.append(" would not have the CPU's bits there: ").append(finding);
        throw_error(errc::unsupported, refusal);
    }
    return *known;
}

std::unique_ptr<scanner> shader_device::make_scanner(const scan_request& request, const std::string& name) {
    const dtype accumulator = request.types.accumulator;
    const operation op = accumulator == dtype::bool8 ? on_bits(request.op) : request.op;
    const std::string words = "device " + name + ": " + words_for(request.op, accumulator);
    return std::make_unique<shader_scanner>(*this, request, name,
                                            checked_operation(op, held_type(op, accumulator), words));
}

std::unique_ptr<timed_scan> shader_device::prepare(operation op, dtype held, std::size_t n, bool exclusive) {
    const std::string words = model_ + ": " + words_for(op, held);
    const shader_scan how{checked_operation(op, held, words), exclusive, false, {}};
    return visit_type(held, [&]<class T>(std::type_identity<T>) {
        const auto one = static_cast<T>(1.0f);
        return make_timing(how, std::as_bytes(std::span(&one, 1)), n);
    });
}

std::vector<std::byte> repeated(std::span<const std::byte> element, std::size_t n) {
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    std::vector<std::byte> all(element.size() * std::min(n, most_bytes / element.size()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = element[i % element.size()];
    return all;
}

}  // namespace upsweep::registry
