// Checks of the caller's buffers.
#include "vulkan/arguments.hpp"

#include <algorithm>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::vulkan::detail {

void check_buffer(const char* name, VkBuffer buffer) {
    if (buffer == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, std::string(name) + ": expected a buffer");
}

namespace {

// So many bytes fit no buffer, and few more no 64-bit number.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

}  // namespace

void check_bytes(const char* name, std::uint64_t count, std::uint64_t bytes) {
    if (count > most_bytes / bytes) {
        throw_error(errc::invalid_argument,
                    std::string(name) + ": expected fewer than 2^62 bytes, but it has " +
                        std::to_string(count) + " elements of " + std::to_string(bytes));
    }
}

void check_fits(const char* name, std::uint64_t bytes) {
    if (bytes > most_bytes)
        throw_error(errc::invalid_argument, std::string(name) + ": expected fewer than 2^62 bytes");
}

void check_apart(const memory_use& one, const memory_use& other) {
    if (one.buffer == VK_NULL_HANDLE || one.buffer != other.buffer || one.bytes == 0 || other.bytes == 0)
        return;
    if (one.offset <= other.offset ? one.bytes <= other.offset - one.offset
                                   : other.bytes <= one.offset - other.offset)
        return;
    throw_error(errc::invalid_argument, std::string(one.name) + ": overlaps " + other.name);
}

void check_workspace(const std::vector<shader::dispatch>& plan, const workspace_span& given,
                     std::uint64_t needed) {
    const bool used = std::any_of(plan.begin(), plan.end(), [](const shader::dispatch& next) {
        return std::any_of(next.bindings.begin(), next.bindings.end(), [](const shader::binding& bound) {
            return bound.from == shader::resource::workspace;
        });
    });
    if (!used) return;
    check_buffer("workspace", given.buffer);
    if (given.size < needed) {
        throw_error(errc::invalid_argument, "workspace: expected " + std::to_string(needed) +
                                                " bytes, but it has " + std::to_string(given.size));
    }
}

}  // namespace upsweep::vulkan::detail
