// Histograms and extraction of bins on Vulkan, of 2^12 to 2^26 random floats in device memory, in 2 to 65536
// bins.
//
//     vulkan_bins_bench [--json] [--stages] [LARGEST_EXPONENT]
//
// A histogram is compared with a copy of half of the elements, which moves as many bytes as it reads; an
// extraction, which reads everything twice, with a copy of all (rows.hpp). Before a row is timed its result
// is compared with the CPU's. --stages adds what the dispatches of each stage take together.
#include <volk.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/bins.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/vulkan/bins.hpp"
#include "upsweep/vulkan/histogram.hpp"
#include "upsweep/vulkan/run.hpp"
#include "vulkan/rows.hpp"

namespace {

namespace vulkan = upsweep::vulkan;
using vulkan::standalone_device;

// Of 24 random bits, from 0 to 1.
std::vector<float> random_floats(std::uint64_t n) {
    std::vector<float> made(n);
    std::uint64_t state = n;
    for (float& each : made) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        each = static_cast<float>(state >> 40) * 0x1p-24f;
    }
    return made;
}

class binning {
  public:
    binning(bench::vulkan_rows& on, std::uint64_t n)
        : on_(on),
          n_(n),
          values_(random_floats(n)),
          expected_(n),
          found_(n),
          in_(on.device(), 4 * n),
          out_(on.device(), 4 * n) {
        on.device().upload(in_, 0, std::as_bytes(std::span(values_)));
    }

    void count(std::uint32_t bins) {
        const standalone_device::memory counts(on_.device(), std::uint64_t{4} * bins);
        const auto needed = vulkan::histogram_workspace<float>(on_.ex(), bins);
        const standalone_device::memory workspace(on_.device(), needed.bytes);
        const vulkan::commands work = vulkan::prepare_histogram(
            on_.ex(), in_.span<const float>(n_), counts.span<std::uint32_t>(bins),
            workspace.span<std::byte>(needed.bytes), {.lo = 0, .hi = 1, .count = bins});
        vulkan::run(on_.ex(), on_.device().queue(), work);
        std::vector<std::uint64_t> cpu_counts(bins);
        upsweep::histogram(cpu_, values_, cpu_counts, {.lo = 0, .hi = 1, .count = bins});
        std::vector<std::uint32_t> gpu_counts(bins);
        on_.device().download(counts, 0, std::as_writable_bytes(std::span(gpu_counts)));
        expect(std::equal(cpu_counts.begin(), cpu_counts.end(), gpu_counts.begin()));
        on_.measure("histogram, " + std::to_string(bins) + " bins", n_, work,
                    {{in_.handle(), out_.handle(), 2 * n_}});
    }

    void extract(std::uint32_t bins) {
        const standalone_device::memory offsets(on_.device(), 4 * (std::uint64_t{bins} + 1));
        const auto needed = vulkan::bins_workspace<float>(on_.ex(), bins, n_);
        const standalone_device::memory workspace(on_.device(), needed.bytes);
        const vulkan::commands work =
            vulkan::prepare_bins(on_.ex(), in_.span<const float>(n_), out_.span<float>(n_),
                                 offsets.span<std::uint32_t>(std::uint64_t{bins} + 1),
                                 workspace.span<std::byte>(needed.bytes), {.lo = 0, .hi = 1, .count = bins});
        vulkan::run(on_.ex(), on_.device().queue(), work);
        std::vector<std::uint64_t> cpu_offsets(std::size_t{bins} + 1);
        upsweep::bins(cpu_, values_, expected_, cpu_offsets, {.lo = 0, .hi = 1, .count = bins});
        on_.device().download(out_, 0, std::as_writable_bytes(std::span(found_)));
        expect(found_ == expected_);
        on_.measure("bins, " + std::to_string(bins), n_, work, {{in_.handle(), out_.handle(), 4 * n_}});
    }

  private:
    static void expect(bool right) {
        if (!right) throw std::runtime_error("the result is wrong");
    }

    bench::vulkan_rows& on_;
    std::uint64_t n_;
    std::vector<float> values_, expected_, found_;
    standalone_device::memory in_, out_;
    upsweep::cpu::executor cpu_;
};

}  // namespace

int main(int count, char** words) {
    return bench::vulkan_main("vulkan_bins_bench", "call", count, words, 4,
                              [](bench::vulkan_rows& on, std::uint64_t n) {
                                  binning of(on, n);
                                  for (const std::uint32_t bins : {8u, 256u, 4096u, 32768u, 65536u})
                                      of.count(bins);
                                  for (const std::uint32_t bins : {2u, 8u, 32u, 256u, 4096u})
                                      of.extract(bins);
                              });
}
