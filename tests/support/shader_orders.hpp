// What the tests of sorts, of sorts of segments and of the first k of an order on OpenGL and Vulkan share.
//
// A Device says whether it is `brief`: it differs so little from another under test that a part of the sizes
// will do. It is constructed from sort_limits. It has a memory<T>, constructed from the device with a size or
// contents and an offset in elements, with span(), read(), which looks at the sentinels on both sides, and
// untouched(); the calls under test; the stages of the last one; and what the driver complained about.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/build.hpp"
#include "support/sort_records.hpp"

namespace upsweep::test {

// The device that most tests run on sorts up to MergedKeys keys by merging.
template <class Device, std::uint64_t MergedKeys = 0>
class shader_order : public ::testing::Test {
  public:
    template <class T>
    using memory = typename Device::template memory<T>;
    using words = std::vector<std::uint32_t>;
    // Sanitizers see in few sizes what they see in many.
    static constexpr bool brief = Device::brief || sanitized;

    // Kept for the whole program, so that its programs are compiled once.
    static Device& device() {
        static Device made{sort_limits{.merged_keys = MergedKeys}};
        return made;
    }

    // The word of a device that is a call's length: of the first min(n, length) elements; SIZE_MAX: no
    // length.
    class length_memory {
      public:
        length_memory(Device& on, std::size_t length) {
            if (length == SIZE_MAX) return;
            const auto word = static_cast<std::uint32_t>(length);
            made_.emplace(on, std::span(&word, 1), 3);
        }
        [[nodiscard]] const memory<std::uint32_t>* get() const { return made_ ? &*made_ : nullptr; }

      private:
        std::optional<memory<std::uint32_t>> made_;
    };

    // check.template operator()<Key>(n, turn) for sizes up to 300, each with the next of the types of keys.
    template <class... Key, class Check>
    static void for_small_sizes(const Check& check) {
        std::size_t turn = 0;
        for (std::size_t n = 0; n <= 300; n += n < 40 || !brief ? 1 : 13) {
            std::size_t at = 0;
            const auto in_turn = [&]<class Each>() {
                if (turn % sizeof...(Key) == at++) check.template operator()<Each>(n, turn);
            };
            (in_turn.template operator()<Key>(), ...);
            ++turn;
            if (::testing::Test::HasFailure()) return;
        }
    }

    static void expect_no_complaints(Device& on) {
        for (const std::string& each : on.take_complaints())
            ADD_FAILURE() << "the driver complains: " << each;
    }

  protected:
    void SetUp() override { device().take_complaints(); }
    void TearDown() override { expect_no_complaints(device()); }
};

// How many of the stages of the last call have this name.
template <class Device>
std::size_t count_of_stages(const Device& on, std::string_view name) {
    return static_cast<std::size_t>(std::count(on.stages().begin(), on.stages().end(), name));
}

// These elements, and then what `to` has behind as many.
template <class T>
std::vector<T> in_front_of(std::vector<T> to, const std::vector<T>& elements) {
    std::copy(elements.begin(), elements.end(), to.begin());
    return to;
}
// The elements with these indices, in front of what `to` has.
template <class T>
std::vector<T> placed(const std::vector<T>& x, const std::vector<std::uint32_t>& order, std::vector<T> to) {
    for (std::size_t i = 0; i < order.size(); ++i) to[i] = x[order[i]];
    return to;
}

}  // namespace upsweep::test
