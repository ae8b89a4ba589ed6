// A model of the addresses that the stages of a scan along an axis take from a dispatch.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>

#include "shader/plan.hpp"

namespace upsweep::test {

// What a stage finds in its parameters and in the words behind the workspace.
class axis_plan_reader {
  public:
    explicit axis_plan_reader(std::uint64_t element_bytes) : axis_plan_reader(element_bytes, element_bytes) {}
    axis_plan_reader(std::uint64_t input_bytes, std::uint64_t element_bytes)
        : input_size_(input_bytes), size_(element_bytes) {}

    void write_shape(const shader::dispatch& d) {
        const shader::binding& words = d.bindings[UPSWEEP_LENGTH];
        const std::uint32_t count = d.parameters[UPSWEEP_P_LENGTH];
        ASSERT_LE(count, std::uint32_t{UPSWEEP_SHAPE_WORDS});
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t at = d.parameters[UPSWEEP_P_SHAPE_FIRST] + i;
            ASSERT_LE(4 * (at + 1), words.bytes);
            shape_[words.offset + std::uint64_t{4} * at] = d.parameters.at(UPSWEEP_P_SHAPE + i);
        }
    }
    // The places of a sequence's elements in the buffers, in elements: of position 0, and the steps.
    struct places {
        std::uint64_t in, out;
        std::int64_t in_step, out_step;
    };
    [[nodiscard]] places begin(const shader::dispatch& d, std::uint32_t sequence) const {
        std::uint32_t in = d.parameters[UPSWEEP_P_INPUT_FIRST], out = d.parameters[UPSWEEP_P_OUTPUT_FIRST];
        for (std::uint32_t k = 0; k < d.parameters[UPSWEEP_P_DIMENSIONS]; ++k) {
            const std::uint32_t extent = word(d, 3 * k);
            in += sequence % extent * word(d, 3 * k + 1);
            out += sequence % extent * word(d, 3 * k + 2);
            sequence /= extent;
        }
        return {d.bindings[UPSWEEP_INPUT].offset / input_size_ + in,
                d.bindings[UPSWEEP_OUTPUT].offset / size_ + out,
                static_cast<std::int32_t>(d.parameters[UPSWEEP_P_INPUT_STRIDE]),
                static_cast<std::int32_t>(d.parameters[UPSWEEP_P_OUTPUT_STRIDE])};
    }
    void expect_bound(const shader::dispatch& d, int at, std::uint64_t element) const {
        const shader::binding& bound = d.bindings.at(static_cast<std::size_t>(at));
        const std::uint64_t size = at == UPSWEEP_INPUT ? input_size_ : size_;
        ASSERT_GE(element * size, bound.offset);
        ASSERT_LE((element + 1) * size, bound.offset + bound.bytes);
        ASSERT_EQ(bound.bytes % 4, 0u);
    }

  private:
    [[nodiscard]] std::uint32_t word(const shader::dispatch& d, std::uint32_t i) const {
        if (i < UPSWEEP_SHAPE_WORDS) return d.parameters.at(UPSWEEP_P_SHAPE + i);
        const std::uint64_t at = d.parameters[UPSWEEP_P_SHAPE_FIRST] + i - UPSWEEP_SHAPE_WORDS;
        return shape_.at(d.bindings[UPSWEEP_LENGTH].offset + 4 * at);
    }

    std::uint64_t input_size_, size_;
    std::map<std::uint64_t, std::uint32_t> shape_;
};

}  // namespace upsweep::test
