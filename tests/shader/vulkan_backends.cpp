// Vulkan under test: the device of vulkan_device.hpp without subgroups, and with them.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shader/scanner_executor.hpp"
#include "support/vulkan_runs.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/vulkan/conformance.hpp"

namespace upsweep::test {
namespace {

vulkan::executor_options options_of(bool subgroups) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.subgroups = subgroups ? vulkan::subgroup_use::required : vulkan::subgroup_use::off;
    return options;
}

class vulkan_shader_executor final : public scanner_executor<vulkan_scanner> {
  public:
    explicit vulkan_shader_executor(bool subgroups)
        : scanner_executor(options_of(subgroups)), subgroups_(subgroups) {}

    [[nodiscard]] std::string name() const {
        return vulkan_device::get().description() + (subgroups_ ? ", with subgroups" : ", without subgroups");
    }
    [[nodiscard]] bool is_what_it_claims() override {
        return scanner_.executor().uses_subgroups() == subgroups_;
    }
    [[nodiscard]] std::string refusal(const shader::operation& op) override {
        if (!scanner_.executor().supports(op)) return name() + ": sums and products of double";
        if (subgroups_ && !(op.exact && op.commutative))
            return name() + ": operators that never use them, which run without";
        // The same programs with another type.
        const bool repeats =
            op.type != shader::element_type::int32 && op.type != shader::element_type::float32;
        if (((subgroups_ || vulkan_quick()) && !is_representative(op)) || (vulkan_quick() && repeats))
            return name() + ": operators whose programs differ little from others";
        return {};
    }
    // Their stages are the same modules in both (src/vulkan/modules.cpp).
    [[nodiscard]] std::string refusal_of_batches() override {
        return subgroups_ ? name() + ": stages that never use them, which run without" : std::string();
    }
    [[nodiscard]] const shader::conformance& conformance() override {
        if (!conformance_)
            conformance_ = check_conformance(scanner_.executor(), vulkan_device::get().queue());
        return *conformance_;
    }

  private:
    bool subgroups_;
    std::optional<shader::conformance> conformance_;
};

}  // namespace

const std::vector<shader_backend>& shader_backends() {
    static const std::vector<shader_backend> made = [] {
        std::vector<shader_backend> list;
        for (const bool subgroups : {false, true}) {
            auto executor = std::make_unique<vulkan_shader_executor>(subgroups);
            std::string name = executor->name();
            list.push_back({std::move(name), std::move(executor)});
        }
        return list;
    }();
    return made;
}

}  // namespace upsweep::test
