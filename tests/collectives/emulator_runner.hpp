// Runs test bodies over a block in the emulator, and fails the test if the emulator finds anything.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "collectives/launch_shape.hpp"
#include "upsweep/emulator/machine.hpp"

namespace upsweep::test {

class emulator_runner {
  public:
    static constexpr bool available() { return true; }
    static std::vector<unsigned> warp_widths() { return {32, 64}; }

    // Calls body(block, in, out) for every thread, `out` pointing to `outputs` poisoned elements, and returns
    // them. Nothing past them may be touched. Each call takes the threads in another order, which must not
    // show.
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
        const emulator::report report =
            machine_.run({.threads = shape.threads,
                          .blocks = shape.blocks,
                          .warp_width = shape.warp_width,
                          .shared_bytes = shape.shared_bytes,
                          .order = static_cast<emulator::schedule>(calls_ % 3),
                          .seed = calls_},
                         [&](const emulator::block& block) { body(block, in.data(), out.data()); });
        ++calls_;
        EXPECT_TRUE(report.clean()) << shape.threads << " threads, warps of " << shape.warp_width << '\n'
                                    << report.text();
        EXPECT_EQ(std::memcmp(static_cast<const void*>(out.data() + outputs), poison.data(),
                              sentinels * sizeof(Out)),
                  0)
            << "written past the end, " << shape.threads << " threads";
        out.resize(outputs);
        return out;
    }

  private:
    std::uint64_t calls_ = 0;
    emulator::machine machine_;
};

}  // namespace upsweep::test
