// Pipelines of bins.
#include "vulkan/bin_stages.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "shader/bin_table.hpp"
#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"

namespace upsweep::vulkan {
namespace {

using stage_module = std::pair<shader::stage, std::span<const std::uint32_t>>;

std::array<stage_module, 4> stage_modules(const user_bins& bins) {
    return {{{shader::stage::count_bins, bins.count_bins},
             {shader::stage::bins_count, bins.bins_count},
             {shader::stage::bins_move, bins.bins_move},
             {shader::stage::bins_number, bins.bins_number}}};
}

}  // namespace

bin_stages::state::state(executor::state& executor, const user_bins& bins, VkDescriptorSetLayout callers)
    : ex(executor), layout(executor.make_layout(callers)) {
    try {
        for (const stage_module& each : stage_modules(bins))
            pipelines_[static_cast<std::size_t>(each.first)] =
                ex.make_pipeline(each.second, {}, false, layout);
    } catch (...) {
        destroy();
        throw;
    }
}
bin_stages::state::~state() { destroy(); }

void bin_stages::state::destroy() const {
    for (const VkPipeline each : pipelines_)
        ex.vk.DestroyPipeline(ex.handles.device, each, ex.options.allocator);
    ex.vk.DestroyPipelineLayout(ex.handles.device, layout, ex.options.allocator);
}

VkPipeline bin_stages::state::pipeline(shader::stage which) const {
    return pipelines_[static_cast<std::size_t>(which)];
}

bin_stages::bin_stages(executor& ex, const user_bins& bins, VkDescriptorSetLayout layout) {
    for (const stage_module& each : stage_modules(bins)) {
        if (each.second.empty()) {
            throw_error(errc::invalid_argument,
                        "bins: expected SPIR-V of " + std::string(shader::name(each.first)));
        }
    }
    if (layout == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, "layout: expected a descriptor set layout");
    state_ = std::make_unique<state>(ex.internal(), bins, layout);
}
bin_stages::~bin_stages() = default;

namespace detail {

VkPipeline bins_pipeline(executor::state& ex, const shader::dispatch& next, shader::element_type type,
                         const bin_stages::state* stages) {
    if (next.counts || !shader::takes_bins(next.which))
        return scan_pipeline(ex, next.which, shader::counts_operation, 0);
    if (stages != nullptr) return stages->pipeline(next.which);
    // Whatever the elements' type, no arithmetic of theirs is asked for.
    shader::operation elements;
    elements.type = type;
    elements.element_words = shader::element_words_of(type);
    elements.exact = true;
    return scan_pipeline(ex, next.which, elements, 0);
}

}  // namespace detail
}  // namespace upsweep::vulkan
