// The handlers that XLA calls on the CPU, in threads of its own.
#include <cfenv>

#include "python/jax/call.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/sorter.hpp"

namespace upsweep::python {
namespace {

namespace ffi = xla::ffi;

// XLA's threads flush subnormal numbers to zero. Rounding to nearest that keeps them is part of the numeric
// contract, and threads that the executor makes inherit what holds for the one that makes them.
class usual_arithmetic {
  public:
    usual_arithmetic() {
        std::fegetenv(&others_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~usual_arithmetic() { std::fesetenv(&others_); }
    usual_arithmetic(const usual_arithmetic&) = delete;
    usual_arithmetic& operator=(const usual_arithmetic&) = delete;

  private:
    std::fenv_t others_{};
};

// Calls body(device) as this library computes everywhere.
template <class Body>
ffi::Error on_processor(const Body& body) {
    const usual_arithmetic own;
    return attempt([&] {
        const auto device = processor();
        body(*device);
    });
}

ffi::Error scan(const xla_array& a, xla_result out, const xla_attributes& given) {
    return on_processor([&](const registry::device& device) {
        const sequences lines(a, given);
        const auto scanner = registry::make_scanner(device, scan_request_of(a, *out, given));
        if (lines.is_one())
            scanner->scan(a.untyped_data(), out->untyped_data(), a.element_count());
        else
            scanner->scan_axis(a.untyped_data(), out->untyped_data(), lines.layout());
    });
}

ffi::Error scan_segments(const xla_array& a, const xla_array& heads, xla_result out,
                         const xla_attributes& given) {
    return on_processor([&](const registry::device& device) {
        registry::make_scanner(device, scan_request_of(a, *out, given))
            ->scan_segments(a.untyped_data(), static_cast<const std::uint8_t*>(heads.untyped_data()),
                            out->untyped_data(), a.element_count());
    });
}

ffi::Error recur(const xla_array& a, const xla_array& b, xla_result out, const xla_attributes& given) {
    return on_processor([&](const registry::device& device) {
        const recurrence asked(a, b, *out, given);
        registry::scan_recurrence(device, asked.call());
    });
}

ffi::Error sort(const xla_array& a, xla_result out, const xla_attributes& given) {
    return on_processor([&](const registry::device& device) {
        const sort_call call(a, given);
        if (a.element_count() == 0) return;
        if (call.indices)
            registry::sort_row_indices(device, call.type, a.untyped_data(),
                                       static_cast<std::int64_t*>(out->untyped_data()), call.rows,
                                       call.length, call.descending);
        else
            registry::sort_rows(device, call.type, a.untyped_data(), out->untyped_data(), call.rows,
                                call.length, call.descending);
    });
}

XLA_FFI_DEFINE_HANDLER(scan_handler, scan, of_one_array(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER(segments_handler, scan_segments, of_two_arrays(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER(recurrence_handler, recur, of_two_arrays(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER(sort_handler, sort, of_one_array(ffi::Ffi::Bind()));

}  // namespace

void add_jax_handlers(nanobind::module_& module) {
    add_handlers(module, {scan_handler, segments_handler, recurrence_handler, sort_handler});
}

}  // namespace upsweep::python
