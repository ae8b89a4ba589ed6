// What runners of test bodies have in common: outputs that are poisoned before and guarded behind.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "collectives/launch_shape.hpp"

namespace upsweep::test {

// Runner has launch(shape, in, out, body), which calls body(block, in, out) for every thread and leaves in
// `out` what the threads wrote.
template <class Runner>
class guarded_runner {
  public:
    // Calls body(block, in, out) for every thread, `out` pointing to `outputs` poisoned elements, and returns
    // them. Nothing past them may be touched.
    template <class Out, class In, class Body>
    std::vector<Out> run(const launch_shape& shape, const std::vector<In>& in, std::size_t outputs,
                         const Body& body) {
        std::vector<Out> out(outputs);
        if (outputs > 0) std::memset(static_cast<void*>(out.data()), 0xcd, outputs * sizeof(Out));
        return run_on(shape, in, std::move(out), body);
    }

    // The same with what the outputs are before.
    template <class Out, class In, class Body>
    std::vector<Out> run_on(const launch_shape& shape, const std::vector<In>& in, std::vector<Out> out,
                            const Body& body) {
        constexpr std::size_t sentinels = 16;
        const std::size_t outputs = out.size();
        out.resize(outputs + sentinels);
        std::memset(static_cast<void*>(out.data() + outputs), 0xcd, sentinels * sizeof(Out));
        const std::vector<Out> poison(out.end() - sentinels, out.end());
        static_cast<Runner&>(*this).launch(shape, in, out, body);
        EXPECT_EQ(std::memcmp(static_cast<const void*>(out.data() + outputs), poison.data(),
                              sentinels * sizeof(Out)),
                  0)
            << "written past the end, " << shape.threads << " threads";
        out.resize(outputs);
        return out;
    }
};

}  // namespace upsweep::test
