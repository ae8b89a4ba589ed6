#include "registry/bin_sums.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "registry/accumulation.hpp"
#include "registry/reducer.hpp"
#include "registry/staging.hpp"
#include "upsweep/bin_totals.hpp"

namespace upsweep::registry {
namespace {

scan_request request_of(const scan_types& types) {
    scan_request request;
    request.op = operation::plus;
    request.types = types;
    return request;
}

// Complex numbers, whose sums have no kernels: by their order.
template <class Acc>
std::size_t sum_in_order(cpu::executor& ex, const cpu::classifier& by, const cpu::source<Acc>& values,
                         std::size_t n, const cpu::sink<Acc>& totals) {
    const cpu::memory_kernels& memory = cpu::memory_kernels_for(ex.simd());
    const std::unique_ptr<Acc[]> own(new Acc[values.direct == nullptr ? n : 0]), made(new Acc[by.bins]);
    if (values.direct == nullptr) values.load(values, memory, 0, n, own.get());
    const Acc* const x = values.direct == nullptr ? own.get() : values.direct;
    const std::size_t placed =
        upsweep::detail::total_by_indices(ex, by, x, n, made.get(), plus{}, std::optional<Acc>());
    totals.store(totals, memory, 0, by.bins, made.get());
    return placed;
}

}  // namespace

std::size_t sum_classes(cpu::executor& executor, const cpu::classifier& by, const scan_types& types,
                        const void* values, void* totals, std::size_t n) {
    const scan_request request = request_of(types);
    return visit_accumulator<plus>(request, [&]<class Acc>(std::type_identity<Acc>) -> std::size_t {
        const accumulation<Acc> how{is_truth(request)};
        const cpu::source<Acc> source = make_source<Acc>(how, types.input, values, 1);
        const cpu::sink<Acc> sink = make_sink<Acc>(how, types.output, totals, 1);
        if constexpr (upsweep::detail::totals_by_engine<Acc, plus>)
            return upsweep::detail::total_converted<Acc>(executor, by, source, n, sink, plus{}, std::nullopt);
        else
            return sum_in_order(executor, by, source, n, sink);
    });
}

void store_empty_sums(const scan_types& types, void* totals, std::size_t first, std::size_t end) {
    if (first == end) return;
    const value nothing = total_of_nothing(request_of(types));
    const std::size_t size = size_of(nothing.type());
    for (std::size_t b = first; b < end; ++b)
        std::memcpy(static_cast<std::byte*>(totals) + b * size, nothing.data(), size);
}

}  // namespace upsweep::registry
