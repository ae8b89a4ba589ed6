// Sorts of random keys on Vulkan, 2^12 to 2^26 of them, in device memory, of all or of every segment by
// itself.
//
//     vulkan_sort_bench [--json] [--stages] [LARGEST_EXPONENT]
//
// Each row compares a sort with a copy of the same bytes, keys and values (rows.hpp); segments, by offsets,
// are of one length. A pass over a digit of eight bits reads keys twice and moves them and the values once,
// so a sort of 32-bit keys moves at least six times what a copy does. Before a row is timed its result is
// compared with the CPU's. --stages adds what the dispatches of each stage take together.
#include <volk.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/segmented_sort.hpp"
#include "upsweep/vulkan/sort.hpp"
#include "vulkan/rows.hpp"

namespace {

using upsweep::vulkan::standalone_device;

template <class T>
std::vector<T> random_words(std::uint64_t n) {
    std::vector<T> made(n);
    std::uint64_t state = n;
    for (T& each : made) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t bits = state ^ (state >> 29);
        each = static_cast<T>(sizeof(T) == 4 ? bits >> 32 : bits);
    }
    return made;
}

// Value = void: keys alone.
template <class Key, class Value>
void run(bench::vulkan_rows& on, const char* what, std::uint64_t n) {
    constexpr bool has_values = !std::is_void_v<Value>;
    using value = std::conditional_t<has_values, Value, std::uint32_t>;
    const std::vector<Key> keys = random_words<Key>(n);
    const std::uint64_t value_count = has_values ? n : 1;
    const std::vector<value> values = random_words<value>(value_count);
    standalone_device& device = on.device();
    const standalone_device::memory in(device, n * sizeof(Key)), out(device, n * sizeof(Key));
    const standalone_device::memory with(device, value_count * sizeof(value));
    const standalone_device::memory with_out(device, value_count * sizeof(value));
    device.upload(in, 0, std::as_bytes(std::span(keys)));
    device.upload(with, 0, std::as_bytes(std::span(values)));

    upsweep::vulkan::workspace_requirements needed;
    if constexpr (has_values)
        needed = upsweep::vulkan::sort_by_key_workspace<Key, value>(on.ex(), n);
    else
        needed = upsweep::vulkan::sort_workspace<Key>(on.ex(), n);
    const standalone_device::memory scratch(device, needed.bytes);
    const auto workspace = scratch.span<std::byte>(needed.bytes);
    const auto from = in.span<const Key>(n);
    const auto to = out.span<Key>(n);
    upsweep::vulkan::commands sort;
    if constexpr (has_values) {
        sort = upsweep::vulkan::prepare_sort_by_key(on.ex(), from, with.span<const value>(n), to,
                                                    with_out.span<value>(n), workspace);
    } else {
        sort = upsweep::vulkan::prepare_sort(on.ex(), from, to, workspace);
    }
    upsweep::vulkan::run(on.ex(), device.queue(), sort);
    std::vector<Key> sorted(n), found(n);
    std::vector<value> moved(value_count), found_values(value_count);
    device.download(out, 0, std::as_writable_bytes(std::span(found)));
    upsweep::cpu::executor cpu;
    if constexpr (has_values) {
        device.download(with_out, 0, std::as_writable_bytes(std::span(found_values)));
        upsweep::sort_by_key(cpu, keys, values, sorted, moved);
    } else {
        upsweep::sort(cpu, keys, sorted);
        found_values = moved;
    }
    if (found != sorted || found_values != moved) throw std::runtime_error("the sort is wrong");

    std::vector<bench::copied_buffer> copied{{in.handle(), out.handle(), n * sizeof(Key)}};
    if (has_values) copied.push_back({with.handle(), with_out.handle(), n * sizeof(value)});
    on.measure(what, n, sort, copied);
}

// Floats, or their indices, in segments of `length`.
template <bool Indices>
void run_segments(bench::vulkan_rows& on, const char* what, std::uint64_t n, std::uint64_t length) {
    std::vector<float> keys(n);
    const std::vector<std::uint32_t> bits = random_words<std::uint32_t>(n);
    for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<float>(bits[i]) - 2e9f;
    std::vector<std::uint32_t> offsets{0};
    for (std::uint64_t at = 0; at != n; offsets.push_back(static_cast<std::uint32_t>(at)))
        at = std::min(at + length, n);
    standalone_device& device = on.device();
    const standalone_device::memory in(device, 4 * n), out(device, 4 * n), ends(device, 4 * offsets.size());
    device.upload(in, 0, std::as_bytes(std::span(keys)));
    device.upload(ends, 0, std::as_bytes(std::span(offsets)));
    const upsweep::vulkan::by_offsets segments(ends.span<const std::uint32_t>(offsets.size()));
    const auto needed = Indices ? upsweep::vulkan::segmented_sort_indices_workspace<float>(on.ex(), n)
                                : upsweep::vulkan::segmented_sort_workspace<float>(on.ex(), n);
    const standalone_device::memory scratch(device, needed.bytes);
    const auto workspace = scratch.span<std::byte>(needed.bytes);
    const auto from = in.span<const float>(n);
    using result = std::conditional_t<Indices, std::uint32_t, float>;
    upsweep::vulkan::commands sort;
    std::vector<result> sorted(n), found(n);
    upsweep::cpu::executor cpu;
    if constexpr (Indices) {
        sort = upsweep::vulkan::prepare_segmented_sort_indices(on.ex(), segments, from,
                                                               out.span<std::uint32_t>(n), workspace);
        upsweep::segmented_sort_indices(cpu, upsweep::by_offsets(offsets), keys, sorted);
    } else {
        sort =
            upsweep::vulkan::prepare_segmented_sort(on.ex(), segments, from, out.span<float>(n), workspace);
        upsweep::segmented_sort(cpu, upsweep::by_offsets(offsets), keys, sorted);
    }
    upsweep::vulkan::run(on.ex(), device.queue(), sort);
    device.download(out, 0, std::as_writable_bytes(std::span(found)));
    if (found != sorted) throw std::runtime_error("the sort of segments is wrong");
    on.measure(what, n, sort, {{in.handle(), out.handle(), 4 * n}});
}

}  // namespace

int main(int count, char** words) {
    return bench::vulkan_main("vulkan_sort_bench", "sort", count, words, 8,
                              [](bench::vulkan_rows& on, std::uint64_t n) {
                                  run<std::uint32_t, void>(on, "uint32", n);
                                  run<std::uint32_t, std::uint32_t>(on, "uint32 uint32", n);
                                  run<std::uint32_t, std::uint64_t>(on, "uint32 uint64", n);
                                  run<std::uint64_t, void>(on, "uint64", n);
                                  run_segments<false>(on, "float 10", n, 10);
                                  run_segments<false>(on, "float 100", n, 100);
                                  run_segments<false>(on, "float 1000", n, 1000);
                                  run_segments<false>(on, "float 10000", n, 10'000);
                                  run_segments<false>(on, "float one", n, n);
                                  run_segments<true>(on, "indices 100", n, 100);
                                  run_segments<true>(on, "indices 10000", n, 10'000);
                              });
}
