// What the threads of an emulated launch did, as data: one event for each access to shared memory, each
// exchange within a warp and each barrier, in the order in which the emulator executed them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::emulator {

// A line of source. Used as a default argument, it is the caller's. (std::source_location is missing from
// clang 14; these builtins are what it is made of.)
struct source_line {
    const char* file = "";
    const char* function = "";
    unsigned line = 0;

    [[nodiscard]] static constexpr source_line current(const char* file = __builtin_FILE(),
                                                       const char* function = __builtin_FUNCTION(),
                                                       unsigned line = __builtin_LINE()) {
        return {file, function, line};
    }
    // Whether both name the same line of the same file.
    friend bool operator==(const source_line& a, const source_line& b);
};

enum class operation : std::uint8_t {
    none,
    read,        // of shared memory
    write,       // of shared memory
    fetch_add,   // atomic, on shared memory
    shuffle,     // any of the four
    ballot,      //
    warp_sync,   //
    block_sync,  //
    atomic,      // on global memory; in findings only
    finish,      // the thread has returned from the kernel; in findings only
};
// "reads", "writes", "waits at the block's barrier", ...
[[nodiscard]] const char* describe(operation what);

// How the bytes of a value are to be read.
enum class value_type : std::uint8_t { none, unsigned_integer, signed_integer, floating_point, other };

template <class T>
inline constexpr value_type value_type_of = std::floating_point<T>      ? value_type::floating_point
                                            : std::unsigned_integral<T> ? value_type::unsigned_integer
                                            : std::signed_integral<T>   ? value_type::signed_integer
                                                                        : value_type::other;

struct event {
    operation what = operation::none;
    value_type type = value_type::none;
    unsigned block = 0;       // in [0, blocks)
    unsigned thread = 0;      // in [0, threads)
    unsigned phase = 0;       // barriers of the block before it
    unsigned warp_phase = 0;  // calls of warp.sync() before it, since the launch
    unsigned step = 0;        // operations of this thread before it
    std::size_t offset = 0;   // read, write, fetch_add: first byte of shared memory; shuffle: the source lane
    std::size_t bytes = 0;    // size of the value; 0 for barriers
    std::size_t value = 0;    // where the value's bytes begin in trace::values
    std::size_t sent = 0;     // of a shuffle: where the bytes begin that this lane sent
    source_line where;
};
// The value is what was read, written, added, or received; of a ballot, the mask that all lanes get (8
// bytes). So the shuffles of a warp tell what its lanes hold between them, also what no lane asks for.

struct trace {
    unsigned blocks = 0;
    unsigned threads = 0;     // of a block
    unsigned warp_width = 0;  // lanes
    std::size_t shared_bytes = 0;
    std::vector<event> events;  // in order of execution
    std::vector<std::byte> values;

    // The value of an event in words: a number, or its bytes in hexadecimal; empty for a barrier.
    [[nodiscard]] std::string value_text(const event& e) const;
};

}  // namespace upsweep::emulator
