// Totals of segments and lengths of runs on Vulkan, of 2^12 to 2^26 floats in device memory, in segments of
// 2, 10, 1000 and 100000.
//
//     vulkan_reduce_bench [--json] [--stages] [--look-back | --reduce-then-scan] [LARGEST_EXPONENT]
//
// Each row compares a call with a copy of the elements (rows.hpp); run_length_encode has keys alone, of which
// it is a copy. Before a row is timed its result is compared with the CPU's, in every bit. --stages adds what
// the dispatches of each stage take together.
#include <volk.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/segmented_reduce.hpp"
#include "upsweep/vulkan/unique.hpp"
#include "vulkan/rows.hpp"

namespace {

namespace vulkan = upsweep::vulkan;
using vulkan::standalone_device;

// n elements in segments of a length between 1 and twice `mean`.
struct segments {
    std::vector<float> x;
    std::vector<std::uint32_t> keys, flags, offsets{0};

    segments(std::uint64_t n, std::uint64_t mean) : x(n), keys(n), flags(n) {
        std::uint64_t state = n;
        std::uint64_t next = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[i] = static_cast<float>(state >> 40) * 0x1p-24f;
            flags[i] = i == next ? 1 : 0;
            if (i == next && i != 0) offsets.push_back(static_cast<std::uint32_t>(i));
            if (i == next) next += 1 + (state >> 33) % (2 * mean - 1);
            keys[i] = static_cast<std::uint32_t>(offsets.size());
        }
        offsets.push_back(static_cast<std::uint32_t>(n));
    }
};

class arrays {
  public:
    arrays(bench::vulkan_rows& on, const segments& given)
        : on_(on),
          given_(given),
          n_(given.x.size()),
          count_(given.offsets.size() - 1),
          x_(uploaded(given.x)),
          keys_(uploaded(given.keys)),
          flags_(uploaded(given.flags)),
          offsets_(uploaded(given.offsets)),
          out_(on.device(), 4 * n_),
          keys_out_(on.device(), 4 * n_),
          arguments_(on.device(), sizeof(vulkan::indirect_arguments)),
          expected_(count_) {
        upsweep::segmented_reduce(cpu_, upsweep::by_offsets(given.offsets), given.x, expected_);
    }

    void run(const std::string& suffix) {
        const auto x = x_.span<const float>(n_);
        const auto out = out_.span<float>(count_);
        const auto told = arguments_.span<vulkan::indirect_arguments>(1);
        measure("by offsets" + suffix,
                vulkan::segmented_reduce_workspace_by_offsets<float>(on_.ex(), n_, count_),
                [&](const vulkan::workspace_span& space) {
                    const vulkan::by_offsets by(offsets_.span<const std::uint32_t>(count_ + 1));
                    return vulkan::prepare_segmented_reduce(on_.ex(), by, x, out, space);
                });
        const auto needed = vulkan::segmented_reduce_workspace<float>(on_.ex(), n_);
        measure("by flags" + suffix, needed, [&](const vulkan::workspace_span& space) {
            const vulkan::by_head_flags by(flags_.span<const std::uint32_t>(n_));
            return vulkan::prepare_segmented_reduce(on_.ex(), by, x, out, told, space);
        });
        const auto keys = keys_.span<const std::uint32_t>(n_);
        const auto keys_out = keys_out_.span<std::uint32_t>(count_);
        measure("reduce_by_key" + suffix, needed, [&](const vulkan::workspace_span& space) {
            return vulkan::prepare_reduce_by_key(on_.ex(), keys, x, keys_out, out, told, space);
        });
        for (std::uint64_t k = 0; k < count_; ++k) {
            const std::uint32_t length = given_.offsets[k + 1] - given_.offsets[k];
            std::memcpy(&expected_[k], &length, sizeof length);
        }
        measure("run_length_encode" + suffix, vulkan::run_length_encode_workspace(on_.ex(), n_, count_),
                [&](const vulkan::workspace_span& space) {
                    return vulkan::prepare_run_length_encode(on_.ex(), keys, keys_out,
                                                             out_.span<std::uint32_t>(count_), told, space);
                });
    }

  private:
    template <class T>
    [[nodiscard]] standalone_device::memory uploaded(const std::vector<T>& from) const {
        standalone_device::memory made(on_.device(), from.size() * sizeof(T));
        on_.device().upload(made, 0, std::as_bytes(std::span(from)));
        return made;
    }
    template <class Prepare>
    void measure(const std::string& what, const vulkan::workspace_requirements& needed,
                 const Prepare& prepare) {
        const standalone_device::memory scratch(on_.device(), needed.bytes);
        const vulkan::commands work = prepare(scratch.span<std::byte>(needed.bytes));
        vulkan::run(on_.ex(), on_.device().queue(), work);
        std::vector<float> found(count_);
        on_.device().download(out_, 0, std::as_writable_bytes(std::span(found)));
        if (std::memcmp(found.data(), expected_.data(), count_ * sizeof(float)) != 0)
            throw std::runtime_error(what + ": the results are wrong");
        on_.measure(what, n_, work, {{x_.handle(), out_.handle(), 4 * n_}});
    }

    bench::vulkan_rows& on_;
    const segments& given_;
    std::uint64_t n_, count_;
    standalone_device::memory x_, keys_, flags_, offsets_, out_, keys_out_, arguments_;
    std::vector<float> expected_;
    upsweep::cpu::executor cpu_;
};

}  // namespace

int main(int count, char** words) {
    return bench::vulkan_main("vulkan_reduce_bench", "call", count, words, 4,
                              [](bench::vulkan_rows& on, std::uint64_t n) {
                                  for (const std::uint64_t mean : {2, 10, 1000, 100000}) {
                                      if (mean > n) break;
                                      const segments given(n, mean);
                                      arrays(on, given).run(", segments of " + std::to_string(mean));
                                  }
                              });
}
