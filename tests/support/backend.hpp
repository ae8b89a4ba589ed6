// The back ends under test. A test is one generic lambda, called once for every back end that exists:
//
//     for_each_backend([&](const auto& backend) { inclusive_scan(*backend.executor, in, out); });
//
// A further back end adds a function like cpu_backends() and a loop to for_each_backend(); tests stay as they
// are.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

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

// Every supported SIMD level with 1, 2, 3 and 7 threads. ThreadSanitizer sees no difference between levels.
const std::vector<cpu_backend>& cpu_backends();

// Which of the back ends differ for the work at hand.
enum class coverage {
    all,      // several threads and every level matter
    levels,   // too small for several threads: every level with one thread, one level with seven
    threads,  // no vector kernels involved: the best level with every thread count
};

bool covers(coverage wanted, const cpu_backend& backend);

template <class Body>
void for_each_backend(coverage wanted, const Body& body) {
    for (const cpu_backend& backend : cpu_backends()) {
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
