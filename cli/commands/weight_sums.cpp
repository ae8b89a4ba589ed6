// Sums of weights by bin, and what they are in text and in pictures.
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cli/commands/fold_arguments.hpp"
#include "cli/commands/histogram_job.hpp"
#include "cli/usage.hpp"
#include "registry/visit.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;

registry::scan_types types_of(dtype weights) {
    return registry::resolve_types(registry::operation::plus, weights);
}

}  // namespace

weight_sums::weight_sums(const histogram_arguments& arguments, const number_weights& weights)
    : name_(weights.name()), may_widen_(weights.come_with_numbers()), types_(types_of(weights.type())) {
    if (!registry::is_complex_type(types_.output)) return;
    if (arguments.has_output && is_table(arguments.output_format)) refuse_complex_cells(types_.output);
    if (!arguments.plot.empty()) throw usage_error("--plot draws real numbers; these are complex");
}

void weight_sums::start(const bins_of_input& by) {
    bins_ = by.limits.count;
    made_ = by.binner->make_sums(types_);
    if (may_widen_) widened_ = by.binner->make_sums(types_of(dtype::float64));
}

std::size_t weight_sums::take(const number_block& block) {
    if (widened_ != nullptr && block.weight_type != types_.input) {
        types_ = types_of(block.weight_type);
        made_ = std::move(widened_);
    }
    if (widened_ != nullptr) widened_->take(block.numbers, block.weight_type, block.weights, block.count);
    return made_->take(block.numbers, block.weight_type, block.weights, block.count);
}

void weight_sums::finish() {
    sums_.resize(bins_ * registry::size_of(types_.output));
    made_->store(sums_.data());
}

registry::value weight_sums::shown(std::size_t bin) const {
    const std::byte* const sum = sums_.data() + bin * registry::size_of(type());
    return registry::visit_type(type(), [&]<class T>(std::type_identity<T>) {
        T number;
        std::memcpy(static_cast<void*>(&number), sum, sizeof(T));
        if constexpr (is_complex<T>)
            number = T(number.real() + 0, number.imag() + 0);
        else if constexpr (is_half<T>)
            number = T(static_cast<float>(number) + 0.0f);
        else if constexpr (std::is_floating_point_v<T>)
            number += T(0);
        return registry::value::of(type(), number);
    });
}

double weight_sums::height(std::size_t bin) const {
    const registry::value sum = shown(bin);
    return registry::visit_type(type(), [&]<class T>(std::type_identity<T>) -> double {
        if constexpr (is_complex<T>)
            return std::numeric_limits<double>::quiet_NaN();
        else if constexpr (is_half<T>)
            return static_cast<double>(static_cast<float>(sum.as<T>()));
        else
            return static_cast<double>(sum.as<T>());
    });
}

}  // namespace upsweep::cli
