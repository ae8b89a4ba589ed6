// Collectives in the emulator on the elements of a request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "registry/trace.hpp"
#include "registry/trace_terms.hpp"
#include "upsweep/emulator/trace.hpp"

namespace upsweep::registry {

// What a launch left behind. Terms are those of `table`.
struct launched {
    emulator::trace trace;
    std::vector<term_id> elements;  // by thread; those past the request's elements are the identity
    std::vector<term_id> results;   // by thread
    term_id neutral = 0;
    std::optional<term_id> initial{};
    unsigned left_count = 0;  // partitions

    // That every thread passed.
    [[nodiscard]] unsigned barriers() const {
        const auto passes = [](const emulator::event& e) {
            return e.thread == 0 && e.what == emulator::operation::block_sync;
        };
        return static_cast<unsigned>(std::count_if(trace.events.begin(), trace.events.end(), passes));
    }
};

// What begins at `at` in trace::values.
template <class Number>
[[nodiscard]] Number number_at(const emulator::trace& trace, std::size_t at) {
    Number number;
    std::memcpy(&number, trace.values.data() + at, sizeof(number));
    return number;
}
[[nodiscard]] inline term_id term_at(const emulator::trace& trace, std::size_t at) {
    return number_at<term_id>(trace, at);
}

// `left`: for partitions, which elements go to the left. Throws upsweep::error (device) if the emulator finds
// anything.
[[nodiscard]] launched launch(const trace_request& request, const std::vector<bool>& left, term_table& table);

// Index in the array that a scan keeps in shared memory, of the element that begins at byte `offset`.
[[nodiscard]] unsigned shared_index(const trace_request& request, unsigned threads, std::size_t offset);

}  // namespace upsweep::registry
