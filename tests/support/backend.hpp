// The back ends under test. A test is one generic lambda, called once for every back end that exists:
//
//     for_each_backend([&](const auto& backend) { inclusive_scan(*backend.executor, in, out); });
//
// Back ends are the CPU at every instruction set; or, in a test that is compiled once more, the GPU with
// every algorithm of CUDA (cuda/backend.cuh), the contexts of OpenGL and the Vulkan device
// (shader/backend.hpp), or ranks of MPI (mpi/backend.hpp) or NCCL (nccl/backend.cuh). Tests stay as they are.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support/build.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/simd_level.hpp"

namespace upsweep::test {

// One executor, and what it must prove to be.
struct cpu_backend {
    std::string name;  // "cpu, avx2, 3 threads"
    std::unique_ptr<cpu::executor> executor;
    cpu::simd_level level;
    std::size_t threads;

    [[nodiscard]] bool is_what_it_claims() const {
        return executor->simd() == level && executor->threads() == threads;
    }
};

// From so many bytes on the executors under test share a call between two threads, and among seven from 3.5
// times as many on, so that few elements show what threads do to them.
inline constexpr std::size_t small_shared_bytes = 64 * 1024;
// From so many on one thread alone stores past the caches. Below, from tuning::asking_bytes on, it asks for
// input as from a far cache.
inline constexpr std::size_t small_streamed_bytes = 2 * 1024 * 1024;

// Every supported SIMD level with 1, 2, 3 and 7 threads. ThreadSanitizer sees no difference between levels,
// and sanitized builds have two numbers of threads.
const std::vector<cpu_backend>& cpu_backends();

// Which of the back ends differ for the work at hand.
enum class coverage {
    all,      // several threads and every level matter
    levels,   // mostly too small for several threads: every level with one, one level with the most
    threads,  // no vector kernels involved: the best level with every thread count
};

bool covers(coverage wanted, const cpu_backend& backend);

#if defined(UPSWEEP_TEST_NCCL)
using test_backend = nccl_backend;
using test_executor = nccl_executor;
inline const std::vector<test_backend>& backends() { return nccl_backends(); }
inline bool covers(coverage, const nccl_backend&) { return true; }
#elif defined(UPSWEEP_TEST_CUDA)
using test_backend = cuda_backend;
using test_executor = cuda_executor;
inline const std::vector<test_backend>& backends() { return cuda_backends(); }
inline bool covers(coverage, const cuda_backend&) { return true; }
#elif defined(UPSWEEP_TEST_SHADERS)
using test_backend = shader_backend;
using test_executor = shader_executor;
inline const std::vector<test_backend>& backends() { return shader_backends(); }
inline bool covers(coverage, const shader_backend& backend) { return covers_test(backend); }
#elif defined(UPSWEEP_TEST_MPI)
using test_backend = mpi_backend;
using test_executor = mpi_executor;
inline const std::vector<test_backend>& backends() { return mpi_backends(); }
inline bool covers(coverage, const mpi_backend&) { return true; }
#else
using test_backend = cpu_backend;
using test_executor = cpu::executor;
inline const std::vector<test_backend>& backends() { return cpu_backends(); }
#endif

// Kernels of one type and operator take seconds to compile, by nvcc or by a software driver, so that tests on
// a GPU leave out what differs little from others, unless UPSWEEP_CUDA_EVERY_PAIR or
// UPSWEEP_SHADER_EVERY_PAIR asks for it. So do those of sanitized builds and between ranks, where one pair
// more is the same lines once more; operators_test.cpp has every operator on every type,
// registry_devices_test.cpp on every device.
#if (defined(UPSWEEP_TEST_CUDA) && !UPSWEEP_CUDA_EVERY_PAIR) || \
    (defined(UPSWEEP_TEST_SHADERS) && !UPSWEEP_SHADER_EVERY_PAIR)
inline constexpr bool tests_every_pair = false;
#else
inline constexpr bool tests_every_pair = !sanitized && !on_ranks;
#endif

// Whether the back ends have scans of In to Out with Op on Acc at all. OpenGL and Vulkan have those of
// shader/operation.hpp, whose results are accumulators.
#if defined(UPSWEEP_TEST_SHADERS)
template <class In, class Op, class Out = In, class Acc = In>
inline constexpr bool has_scan = std::is_same_v<Out, Acc>&& shader::loads_and_combines<Op, In, Acc>;
template <class In, class Out, class Acc>
void report_lack() {
    const bool converts =
        !std::is_same_v<Out, Acc> || (!std::is_same_v<In, Acc> && sizeof(In) >= sizeof(Acc));
    leave_out(converts ? "conversions of results, and of elements as large as these or larger"
                       : "elements of " + std::to_string(8 * sizeof(Acc)) +
                             " bits: a type or an operator that the stages lack");
}
#else
template <class In, class Op, class Out = In, class Acc = In>
inline constexpr bool has_scan = true;
template <class In, class Out, class Acc>
void report_lack() {}
#endif

// Whether this executor has those of Op on T: a device may lack something that they need.
template <class Op, class T, class Executor>
bool takes(Executor& ex) {
    if constexpr (requires { ex.template takes<Op, T>(); })
        return ex.template takes<Op, T>();
    else
        return true;
}
// Why its results may differ from the reference; empty: they may not.
template <class Op, class T, class Executor>
std::string excuse(Executor& ex) {
    if constexpr (requires { ex.template excuse<Op, T>(); })
        return ex.template excuse<Op, T>();
    else
        return {};
}

template <class Body>
void for_each_backend(coverage wanted, const Body& body) {
    for (const test_backend& backend : backends()) {
        if (!covers(wanted, backend)) continue;
        SCOPED_TRACE(backend.name);
        ASSERT_TRUE(backend.is_what_it_claims());
        body(backend);
        if (::testing::Test::HasFatalFailure()) return;
    }
}
template <class Body>
void for_each_backend(const Body& body) {
    for_each_backend(coverage::all, body);
}

}  // namespace upsweep::test
