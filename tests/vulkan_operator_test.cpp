// Operators and predicates of the caller's, written in GLSL and compiled with the stages at build time.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <vector>

#include "latest.hpp"
#include "rotation.hpp"
#include "support/refused.hpp"
#include "support/sweep.hpp"
#include "support/total_check.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/error.hpp"
#include "upsweep/vulkan/reduce.hpp"

namespace upsweep::test {
namespace {

// tests/shaders/latest.glsl
struct latest_operator {
    std::uint32_t operator()(std::uint32_t earlier, std::uint32_t later) const {
        return later != 0 ? later : earlier;
    }
};

// tests/shaders/rotation.glsl
struct quaternion {
    float x = 0, y = 0, z = 0, w = 0;
    friend bool operator==(const quaternion&, const quaternion&) = default;
    friend std::ostream& operator<<(std::ostream& out, const quaternion& q) {
        return out << q.x << ' ' << q.y << ' ' << q.z << ' ' << q.w;
    }
};
struct rotation_operator {
    quaternion operator()(const quaternion& a, const quaternion& b) const {
        return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    }
    static quaternion identity() { return {0, 0, 0, 1}; }
};

// Rotations by any angle; products of unit quaternions neither grow nor vanish.
std::vector<quaternion> rotations(std::size_t n) {
    random_bits random(4);
    std::vector<quaternion> made(n);
    for (quaternion& q : made) {
        const double x = random.between(-1, 1), y = random.between(-1, 1), z = random.between(-1, 1);
        const double w = random.between(-1, 1);
        const double length = std::sqrt(x * x + y * y + z * z + w * w) + 1e-9;
        q = {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length),
             static_cast<float>(w / length)};
    }
    return made;
}

TEST(vulkan_operator, quaternions) {
    vulkan_scanner scanner;
    scanner.settings.user = &rotation;
    const std::vector<quaternion> values = rotations(vulkan_quick() ? 9000 : 34 * core::tile_size + 5);
    scan_check<quaternion, quaternion, quaternion, vulkan_scanner> checked(
        operation<quaternion, quaternion, quaternion, vulkan_scanner>::of(rotation_operator()),
        std::span<const quaternion>(values), {0.5f, 0.5f, -0.5f, 0.5f});
    checked.every_mode(scanner, {1, 6, 4099});
    checked.some_mode(scanner, {0, 3, 129, 4096, 8999, values.size()}, 3);
}

TEST(vulkan_operator, without_identity) {
    vulkan_scanner scanner;
    scanner.settings.user = &latest;
    random_bits random(6);
    std::vector<std::uint32_t> values(vulkan_quick() ? 9000 : 34 * core::tile_size + 5);
    for (std::uint32_t& x : values) x = random.below(50) == 0 ? static_cast<std::uint32_t>(random()) : 0;
    scan_check<std::uint32_t, std::uint32_t, std::uint32_t, vulkan_scanner> checked(
        operation<std::uint32_t, std::uint32_t, std::uint32_t, vulkan_scanner>::of(latest_operator()),
        std::span<const std::uint32_t>(values), 77u);
    checked.every_mode(scanner, {1, 6, 4099});
    checked.some_mode(scanner, {0, 3, 129, 4096, 8999, values.size()}, 3);
}

TEST(vulkan_operator, totals) {
    vulkan_scanner scanner;
    scanner.settings.user = &rotation;
    const std::vector<quaternion> values = rotations(vulkan_quick() ? 9000 : 34 * core::tile_size + 5);
    total_check<quaternion, rotation_operator> products(std::span<const quaternion>(values),
                                                        {0.5f, 0.5f, -0.5f, 0.5f});
    for (const std::size_t n : {std::size_t{0}, std::size_t{6}, std::size_t{4099}, values.size()})
        if (!products.run(scanner, n, n % 2)) return;

    const vulkan_buffer memory(4096);
    const vulkan::buffer_span<std::uint32_t> in{memory.handle(), 10, 0}, out{memory.handle(), 1, 256},
        length{memory.handle(), 1, 512};
    const std::string refusal = "options.initial: the total of no elements needs an initial value";
    vulkan::executor& ex = scanner.executor();
    expect_refused(refusal, [&] { (void)prepare_reduce(ex, in, out, {}, latest, {.length = length}); });
    expect_refused(refusal,
                   [&] { (void)prepare_reduce(ex, vulkan::buffer_span<std::uint32_t>{}, out, {}, latest); });
}

TEST(vulkan_operator, what_an_operator_cannot_do) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(4096);
    const vulkan::buffer_span<std::uint32_t> span{memory.handle(), 10, 0};
    const auto message = [&](const auto& call) -> std::string {
        try {
            call();
        } catch (const error& e) {
            return e.what();
        }
        return "no error";
    };
    EXPECT_NE(
        message([&] { (void)prepare_exclusive_scan(ex, span, span, {}, latest); }).find("options.initial"),
        std::string::npos);
    vulkan::scan_options<std::uint32_t> blelloch;
    blelloch.algorithm = vulkan::scan_algorithm::blelloch;
    blelloch.initial = 1;
    EXPECT_NE(
        message([&] { (void)prepare_exclusive_scan(ex, span, span, {}, latest, blelloch); }).find("identity"),
        std::string::npos);
    const vulkan::buffer_span<std::uint64_t> wide{memory.handle(), 5, 0};
    EXPECT_NE(message([&] { (void)prepare_inclusive_scan(ex, wide, wide, {}, latest); }).find("4 bytes"),
              std::string::npos);
}

}  // namespace
}  // namespace upsweep::test
