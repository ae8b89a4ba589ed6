// Scans on OpenGL and Vulkan from the installed package alone, the one on Vulkan with an operator of GLSL.
#include <upsweep/gl/gl.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/vulkan/run.hpp>
#include <upsweep/vulkan/scan.hpp>
#include <upsweep/vulkan/standalone.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "latest.hpp"

int main() {
    // The check of the driver's arithmetic compiles and runs a stage.
    const upsweep::gl::offscreen_context context;
    upsweep::gl::executor gl(context.loader());
    for (const std::string& finding : gl.conformance().findings) std::printf("OpenGL: %s\n", finding.c_str());

    namespace vulkan = upsweep::vulkan;
    vulkan::standalone_device device;
    vulkan::executor executor(device.handles(), device.options());
    const std::vector<std::uint32_t> values{0, 7, 0, 0, 5, 0};
    const vulkan::standalone_device::memory memory(device, 24);
    device.upload(memory, 0, std::as_bytes(std::span(values)));
    const auto span = memory.span<std::uint32_t>(6);
    vulkan::run(executor, device.queue(), vulkan::prepare_inclusive_scan(executor, span, span, {}, latest));
    std::vector<std::uint32_t> results(6);
    device.download(memory, 0, std::as_writable_bytes(std::span(results)));
    const bool right = results == std::vector<std::uint32_t>{0, 7, 7, 7, 5, 5};
    std::printf("%s and %s: %s\n", context.renderer().c_str(), device.info().name.c_str(),
                right ? "right" : "wrong");
    return right ? 0 : 1;
}
