// The code of docs/vulkan.md, with buffers for the names in it: what the guide shows is what compilers take.
// blocks.inc includes its blocks, which tools/code_blocks.py takes out of the page.
#include <vulkan/vulkan.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "back_end.hpp"
#include "upsweep/bin_range.hpp"

namespace vulkan_guide {

// What the guide's names stand for, and the one that it introduces once.
namespace vulkan = upsweep::vulkan;
template <class T>
using buffer_of = vulkan::buffer_span<T>;

struct record {
    float weight;
    std::uint32_t number;
};
struct unpaired {
    std::uint32_t closing, opening;
};

VkInstance instance;
VkPhysicalDevice physical_device;
VkDevice device;
VkCommandBuffer command_buffer;
VkQueryPool queries;
VkBuffer in_buffer, out_buffer, sum_buffer, rows_buffer, workspace_buffer, buffer, bytes_buffer, words_buffer;
struct {
    VkDescriptorSetLayout layout;
    VkDescriptorSet set;
} set;
std::uint32_t queue_family;
vulkan::executor gpu(vulkan::device_handles{});
const vulkan::workspace_span workspace{};
std::size_t n, rows, k;
std::int64_t height, width;
float limit;
const std::vector<float> edges;
const std::vector<unpaired> text;
buffer_of<float> in, out, values, values_out, floats;
buffer_of<const upsweep::float16> halves;
buffer_of<std::uint32_t> flags, offsets, counts, lengths, indices, cells;
const buffer_of<std::uint32_t> length;
buffer_of<std::int32_t> keys, keys_out;
buffer_of<record> records, records_out;
buffer_of<vulkan::indirect_arguments> arguments;

const vulkan::user_items bright;
const vulkan::user_bins residues;

void wait_for_shaders(VkCommandBuffer);

// Those of which there are others elsewhere.
namespace section_barriers {
VkCommandBuffer buffer;
extern const vulkan::commands compact, scan;
}  // namespace section_barriers
namespace section_vote_scan_compact {
extern const vulkan::standalone_device::memory compact_space;
extern const vulkan::workspace_requirements compact_needs;
}  // namespace section_vote_scan_compact
namespace section_without_a_program_of_your_own {
extern const vulkan::commands scan;
}  // namespace section_without_a_program_of_your_own

#include "blocks.inc"

}  // namespace vulkan_guide
