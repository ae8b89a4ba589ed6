// From an operator's name to its scanner.
#include "registry/scanner.hpp"

#include <string>

#include "registry/accumulation.hpp"
#include "registry/back_end.hpp"
#include "registry/byte_views.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {

std::optional<std::size_t> check_axis(const scan_types& types, const void* in, void* out,
                                      const axis_layout& layout) {
    check_strides(layout);
    const auto from = byte_view(static_cast<const char*>(in), layout.shape, layout.in_strides, types.input);
    const auto to = byte_view(static_cast<char*>(out), layout.shape, layout.out_strides, types.output);
    int axis = layout.axis;
    detail::check_views(from, to, axis, "in", size_of(types.input), size_of(types.output));
    if (from.size() == 0) return std::nullopt;
    return static_cast<std::size_t>(axis);
}

void check_block(std::uint64_t count, std::size_t multiple) {
    if (count % multiple == 0) return;
    throw_error(errc::invalid_argument,
                "blocks: " + std::to_string(count) +
                    " elements came before; every block but the last must be a multiple of " +
                    std::to_string(multiple));
}

std::unique_ptr<scanner> make_scanner(const device& where, const scan_request& request) {
    const scan_types& types = request.types;
    static_cast<void>(resolve_types(request.op, types.input, types.output, types.accumulator));
    if (where.accelerated() != nullptr) return where.accelerated()->make_scanner(request, where.name());
    return visit_operation(request,
                           [&]<class Op>(Op) { return make_scanner_of<Op>(where.executor(), request); });
}

}  // namespace upsweep::registry
