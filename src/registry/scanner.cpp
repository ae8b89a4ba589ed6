// From an operator's name to its scanner.
#include "registry/scanner.hpp"

#include <algorithm>
#include <array>

#include "registry/accumulation.hpp"
#include "registry/back_end.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {

// The views are checked as arrays of bytes, whose strides tell the element sizes too.
std::optional<std::size_t> check_axis(const scan_types& types, const void* in, void* out,
                                      const axis_layout& layout) {
    const auto bytes = [&](std::span<const std::int64_t> strides, dtype type) {
        std::array<std::int64_t, max_rank> scaled{};
        for (std::size_t k = 0; k < std::min(strides.size(), max_rank); ++k) {
            scaled[k] = strides[k] * static_cast<std::int64_t>(size_of(type));
        }
        return scaled;
    };
    const std::size_t rank = std::min(layout.shape.size(), max_rank);
    if (layout.in_strides.size() != layout.shape.size() || layout.out_strides.size() != layout.shape.size()) {
        throw_error(errc::invalid_argument,
                    "strides: expected " + std::to_string(layout.shape.size()) + ", one a dimension");
    }
    const auto in_strides = bytes(layout.in_strides, types.input);
    const auto out_strides = bytes(layout.out_strides, types.output);
    const strided_view<const char> from(static_cast<const char*>(in), layout.shape,
                                        std::span(in_strides).first(rank));
    const strided_view<char> to(static_cast<char*>(out), layout.shape, std::span(out_strides).first(rank));
    int axis = layout.axis;
    detail::check_views(from, to, axis);
    if (from.size() == 0) return std::nullopt;
    return static_cast<std::size_t>(axis);
}

std::unique_ptr<scanner> make_scanner(const device& where, const scan_request& request) {
    const scan_types& types = request.types;
    static_cast<void>(resolve_types(request.op, types.input, types.output, types.accumulator));
    if (where.accelerated() != nullptr) return where.accelerated()->make_scanner(request, where.name());
    return visit_operation(request,
                           [&]<class Op>(Op) { return make_scanner_of<Op>(where.executor(), request); });
}

}  // namespace upsweep::registry
