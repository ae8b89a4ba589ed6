// What kind of build the tests run in: under a sanitizer everything costs five to thirty times as much; on a
// software driver of a GPU, or between more ranks than processors, each call costs as much as ten thousand
// elements.
#pragma once

#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#define UPSWEEP_TEST_HAS_FEATURE(x) __has_feature(x)
#else
#define UPSWEEP_TEST_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || UPSWEEP_TEST_HAS_FEATURE(address_sanitizer)
#define UPSWEEP_TEST_ADDRESS_SANITIZER 1
#include <sanitizer/asan_interface.h>
#else
#define UPSWEEP_TEST_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || UPSWEEP_TEST_HAS_FEATURE(thread_sanitizer)
#define UPSWEEP_TEST_THREAD_SANITIZER 1
#else
#define UPSWEEP_TEST_THREAD_SANITIZER 0
#endif

namespace upsweep::test {

inline constexpr bool address_sanitizer = UPSWEEP_TEST_ADDRESS_SANITIZER != 0;
inline constexpr bool thread_sanitizer = UPSWEEP_TEST_THREAD_SANITIZER != 0;
inline constexpr bool sanitized = address_sanitizer || thread_sanitizer;

// Whether an emulator of another processor runs the tests, and the command-line tool, with memory of its own.
#if defined(UPSWEEP_TEST_EMULATED)
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

// Whether the back ends under test are OpenGL or Vulkan (shader/backend.hpp), whose tests must be short
// enough for a software driver.
#if defined(UPSWEEP_TEST_SHADERS)
inline constexpr bool on_shaders = true;
#else
inline constexpr bool on_shaders = false;
#endif
// Or ranks of MPI (mpi/backend.hpp), of which a machine may have more than processors: each call then waits
// for every one of them to get its turn.
#if defined(UPSWEEP_TEST_MPI)
inline constexpr bool on_ranks = true;
#else
inline constexpr bool on_ranks = false;
#endif
// Tests are then short.
inline constexpr bool in_brief = on_shaders || on_ranks;

// Whether the program runs under compute-sanitizer, of which the environment variable UPSWEEP_TEST_SANITIZER
// tells: it takes fifty times as long.
inline bool under_compute_sanitizer() {
    static const bool told = std::getenv("UPSWEEP_TEST_SANITIZER") != nullptr;
    return told;
}

// A count of repetitions, fewer under a sanitizer.
inline std::size_t repetitions(std::size_t plain, std::size_t under_sanitizer) {
    return sanitized || under_compute_sanitizer() ? under_sanitizer : plain;
}
// Fewer where tests are short, too.
inline std::size_t repetitions(std::size_t plain, std::size_t under_sanitizer, std::size_t in_short) {
    return in_brief ? in_short : repetitions(plain, under_sanitizer);
}

}  // namespace upsweep::test
