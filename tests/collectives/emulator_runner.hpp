// Runs test bodies over a block in the emulator, and fails the test if the emulator finds anything.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "collectives/guarded_runner.hpp"
#include "collectives/launch_shape.hpp"
#include "upsweep/emulator/machine.hpp"

namespace upsweep::test {

class emulator_runner : public guarded_runner<emulator_runner> {
  public:
    static constexpr bool available() { return true; }
    static std::vector<unsigned> warp_widths() { return {32, 64}; }

    // Each call takes the threads in another order, which must not show.
    template <class Out, class In, class Body>
    void launch(const launch_shape& shape, const std::vector<In>& in, std::vector<Out>& out,
                const Body& body) {
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
    }

  private:
    std::uint64_t calls_ = 0;
    emulator::machine machine_;
};

}  // namespace upsweep::test
