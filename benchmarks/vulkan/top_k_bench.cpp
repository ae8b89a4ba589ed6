// The first k of an order on Vulkan, of 2^12 to 2^26 random keys, and of rows that these are cut into, in
// device memory.
//
//     vulkan_top_k_bench [--json] [--stages] [LARGEST_EXPONENT]
//
// Each row compares a call with a copy of half of the keys, which moves as many bytes as reading them once
// does (rows.hpp); "sorted" is a sort of all of them. Keys that are equal are the worst case: every digit is
// counted. Before a row is timed its result is compared with the CPU's. --stages adds what the dispatches of
// each stage take together.
#include <volk.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/top_k.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/sort.hpp"
#include "upsweep/vulkan/top_k.hpp"
#include "vulkan/rows.hpp"

namespace {

namespace vulkan = upsweep::vulkan;
using vulkan::standalone_device;

// Floats of 24 random bits, from 0 to 1; integers of any bits.
template <class Key>
std::vector<Key> random_keys(std::uint64_t n) {
    std::vector<Key> made(n);
    std::uint64_t state = n;
    for (Key& each : made) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if constexpr (std::is_same_v<Key, float>)
            each = static_cast<float>(state >> 40) * 0x1p-24f;
        else
            each = static_cast<Key>(sizeof(Key) == 4 ? state >> 32 : state ^ (state >> 29));
    }
    return made;
}

template <class Key>
class choosing {
  public:
    choosing(bench::vulkan_rows& on, const char* type, const std::vector<Key>& keys)
        : on_(on),
          type_(type),
          n_(keys.size()),
          keys_(keys),
          in_(on.device(), n_ * sizeof(Key)),
          out_(on.device(), n_ * sizeof(Key)) {
        on.device().upload(in_, 0, std::as_bytes(std::span(keys)));
    }

    void elements(std::uint64_t k) {
        if (k > n_) return;
        const auto needed = vulkan::top_k_workspace<Key>(on_.ex(), n_, k);
        const standalone_device::memory workspace(on_.device(), needed.bytes);
        const vulkan::commands work =
            vulkan::prepare_top_k(on_.ex(), in(), out_.span<Key>(k), workspace.span<std::byte>(needed.bytes));
        std::vector<Key> expected(k);
        upsweep::top_k(cpu_, keys_, expected);
        compare(work, expected);
        measure(type_ + ", " + std::to_string(k), work);
    }
    void indices(std::uint64_t k) {
        if (k > n_) return;
        const auto needed = vulkan::top_k_indices_workspace<Key>(on_.ex(), n_, k);
        const standalone_device::memory workspace(on_.device(), needed.bytes);
        const vulkan::commands work = vulkan::prepare_top_k_indices(
            on_.ex(), in(), out_.span<std::uint32_t>(k), workspace.span<std::byte>(needed.bytes));
        std::vector<std::uint32_t> expected(k);
        upsweep::top_k_indices(cpu_, keys_, expected);
        compare(work, expected);
        measure(type_ + ", indices of " + std::to_string(k), work);
    }
    void rows(std::uint64_t length, std::uint64_t k) {
        const std::uint64_t rows = n_ / length;
        if (rows < 2) return;
        const auto needed = vulkan::top_k_row_indices_workspace<Key>(on_.ex(), rows, length, k);
        const standalone_device::memory workspace(on_.device(), needed.bytes);
        const vulkan::commands work = vulkan::prepare_top_k_row_indices(
            on_.ex(), rows, in_.span<const Key>(rows * length), out_.span<std::uint32_t>(rows * k),
            workspace.span<std::byte>(needed.bytes));
        std::vector<std::uint32_t> expected(rows * k);
        upsweep::top_k_row_indices(cpu_, rows, std::span(keys_).first(rows * length), expected);
        compare(work, expected);
        measure(type_ + ", indices of " + std::to_string(k) + " a row of " + std::to_string(length), work);
    }
    void sorted() {
        const auto needed = vulkan::sort_workspace<Key>(on_.ex(), n_);
        const standalone_device::memory workspace(on_.device(), needed.bytes);
        measure(type_ + ", sorted", vulkan::prepare_sort(on_.ex(), in(), out_.span<Key>(n_),
                                                         workspace.span<std::byte>(needed.bytes)));
    }

  private:
    [[nodiscard]] vulkan::buffer_span<const Key> in() const { return in_.span<const Key>(n_); }
    template <class Result>
    void compare(const vulkan::commands& work, const std::vector<Result>& expected) {
        vulkan::run(on_.ex(), on_.device().queue(), work);
        std::vector<Result> found(expected.size());
        on_.device().download(out_, 0, std::as_writable_bytes(std::span(found)));
        if (found != expected) throw std::runtime_error("the result is wrong");
    }
    void measure(const std::string& what, const vulkan::commands& work) {
        on_.measure(what, n_, work, {{in_.handle(), out_.handle(), n_ * sizeof(Key) / 2}});
    }

    bench::vulkan_rows& on_;
    std::string type_;
    std::uint64_t n_;
    const std::vector<Key>& keys_;
    standalone_device::memory in_, out_;
    upsweep::cpu::executor cpu_;
};

void run(bench::vulkan_rows& on, std::uint64_t n) {
    const std::vector<float> floats = random_keys<float>(n);
    choosing<float> of_floats(on, "float", floats);
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1000}, n / 100, n / 8})
        of_floats.elements(k);
    of_floats.indices(1000);
    of_floats.rows(64, 8);
    of_floats.rows(1000, 10);
    of_floats.rows(131072, 50);
    of_floats.sorted();
    const std::vector<std::uint64_t> wide = random_keys<std::uint64_t>(n);
    choosing<std::uint64_t> of_wide(on, "uint64", wide);
    of_wide.elements(1000);
    of_wide.sorted();
    const std::vector<std::uint32_t> equal(n, 7);
    choosing<std::uint32_t>(on, "equal uint32", equal).indices(1000);
}

}  // namespace

int main(int count, char** words) {
    return bench::vulkan_main("vulkan_top_k_bench", "top_k", count, words, 8, run);
}
