// Compaction and partition by flags on Vulkan, of 2^12 to 2^26 records of 4 and 16 bytes in device memory, of
// which one in 2, 16 or 1024 is chosen.
//
//     vulkan_compact_bench [--json] [--stages] [LARGEST_EXPONENT]
//
// Each row compares a call with a copy of all records (rows.hpp), which does not read flags. Before a row is
// timed its result is compared with the CPU's. --stages adds what the dispatches of each stage take together.
#include <volk.h>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/compact.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/run.hpp"
#include "vulkan/rows.hpp"

namespace {

namespace vulkan = upsweep::vulkan;
using vulkan::standalone_device;

// 1 for one in `each` of n, at random.
std::vector<std::uint32_t> flags_of(std::uint64_t n, std::uint32_t each) {
    std::vector<std::uint32_t> made(n);
    std::uint64_t state = n;
    for (std::uint32_t& flag : made) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        flag = (state >> 33) % each == 0 ? 1 : 0;
    }
    return made;
}

template <std::size_t Words>
void run(bench::vulkan_rows& on, std::uint64_t n) {
    using record = std::array<std::uint32_t, Words>;
    const std::string size = ", " + std::to_string(sizeof(record)) + " bytes";
    std::vector<record> records(n);
    for (std::uint64_t i = 0; i < n; ++i) records[i].fill(static_cast<std::uint32_t>(i));
    standalone_device& device = on.device();
    const standalone_device::memory in(device, n * sizeof(record)), out(device, n * sizeof(record)),
        flags(device, 4 * n), told(device, sizeof(vulkan::indirect_arguments));
    device.upload(in, 0, std::as_bytes(std::span(records)));
    const auto needed = vulkan::compact_workspace(on.ex(), n);
    const standalone_device::memory scratch(device, needed.bytes);

    upsweep::cpu::executor cpu;
    std::vector<record> expected(n), found(n);
    const auto measure = [&](const std::string& what, std::size_t count, const vulkan::commands& work) {
        vulkan::run(on.ex(), device.queue(), work);
        device.download(out, 0, std::as_writable_bytes(std::span(found)));
        if (!std::equal(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), expected.begin()))
            throw std::runtime_error(what + ": the results are wrong");
        on.measure(what, n, work, {{in.handle(), out.handle(), n * sizeof(record)}});
    };
    for (const std::uint32_t each : {2u, 16u, 1024u}) {
        const std::vector<std::uint32_t> chosen = flags_of(n, each);
        device.upload(flags, 0, std::as_bytes(std::span(chosen)));
        const auto votes = flags.span<const std::uint32_t>(n);
        const auto from = in.span<const record>(n);
        const auto to = out.span<record>(n);
        const auto arguments = told.span<vulkan::indirect_arguments>(1);
        const auto workspace = scratch.span<std::byte>(needed.bytes);
        const std::string suffix = size + ", one in " + std::to_string(each);
        measure("compact" + suffix, upsweep::compact(cpu, chosen, records, expected),
                vulkan::prepare_compact(on.ex(), votes, from, to, arguments, workspace));
        upsweep::partition(cpu, chosen, records, expected);
        measure("partition" + suffix, n,
                vulkan::prepare_partition(on.ex(), votes, from, to, arguments, workspace));
    }
}

}  // namespace

int main(int count, char** words) {
    return bench::vulkan_main("vulkan_compact_bench", "call", count, words, 16,
                              [](bench::vulkan_rows& on, std::uint64_t n) {
                                  run<1>(on, n);
                                  run<4>(on, n);
                              });
}
