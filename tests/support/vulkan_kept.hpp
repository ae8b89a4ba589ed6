// Pipelines that are made once in a process, whichever executors ask for them.
//
// A software driver takes a tenth of a second to read a pipeline that it has compiled before, and seconds to
// compile it: one whose layout is another object is another pipeline to SwiftShader, and one whose module was
// made anew is other code under GPU-assisted validation, as the layers write the number of a module into what
// they add to it.
#pragma once

#include <vulkan/vulkan_core.h>

namespace upsweep::test {

// A vkGetDeviceProcAddr whose functions make modules, layouts and compute pipelines once for equal contents,
// and keep what they made. What refers to a caller's descriptor set, or comes from an allocator, is made and
// destroyed as asked.
PFN_vkVoidFunction VKAPI_CALL get_keeping_device_proc_addr(VkDevice device, const char* name);

// At the end of the device.
void destroy_kept(VkDevice device);

}  // namespace upsweep::test
