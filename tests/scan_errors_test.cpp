// Misuse is refused with upsweep::error, which names the argument, before anything is written.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "support/guarded.hpp"
#include "upsweep/error.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

// `call` must be refused, with a message that begins with the argument's name and contains every one of
// `words`.
void expect_refused(const std::string& argument, const std::vector<std::string>& words,
                    const std::function<void()>& call) {
    try {
        call();
        ADD_FAILURE() << "accepted; expected an error about " << argument;
    } catch (const error& e) {
        const std::string message = e.what();
        EXPECT_EQ(e.code(), errc::invalid_argument);
        EXPECT_EQ(message.substr(0, argument.size() + 1), argument + ":") << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << "more than one line";
        for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
    }
}

const auto first = [](float a, float) { return a; };

TEST(scan_errors, sizes_differ) {
    cpu::executor ex(2);
    const std::vector<float> in(7);
    guarded<float> out(5), large(9);
    expect_refused("out", {"7", "5"}, [&] { inclusive_scan(ex, in, out.span()); });
    expect_refused("out", {"7", "9"}, [&] { exclusive_scan(ex, in, large.span()); });
    expect_refused("out", {"7", "5"},
                   [&] { transform_inclusive_scan(ex, in, out.span(), plus{}, std::negate<>()); });
    expect_refused("out", {"7", "9"},
                   [&] { transform_exclusive_scan(ex, in, large.span(), plus{}, std::negate<>()); });
    expect_refused("out", {"7", "5"}, [&] { inclusive_scan(ex, in, out.span(), first); });
    expect_refused("out", {"0", "5"}, [&] { inclusive_scan(ex, std::vector<float>{}, out.span()); });
    EXPECT_TRUE(out.untouched() && large.untouched());
}

TEST(scan_errors, overlap) {
    cpu::executor ex(2);
    std::vector<float> memory(100, 1.0f);
    const std::vector<float> before = memory;
    const std::span<float> all(memory);
    for (const std::size_t shift : {1u, 4u, 49u}) {
        expect_refused("out", {"overlaps"},
                       [&] { inclusive_scan(ex, all.first(50), all.subspan(shift, 50)); });
        expect_refused("out", {"overlaps"},
                       [&] { exclusive_scan(ex, all.subspan(shift, 50), all.first(50)); });
    }
    // The same beginning, but elements of different size.
    auto* bytes = reinterpret_cast<std::int8_t*>(memory.data());
    expect_refused("out", {"overlaps"},
                   [&] { inclusive_scan<float>(ex, all.first(50), std::span(bytes, 50)); });
    EXPECT_EQ(memory, before);
    // Neighbours are no overlap, nor is nothing.
    EXPECT_NO_THROW(inclusive_scan(ex, all.first(50), all.last(50)));
    EXPECT_NO_THROW(inclusive_scan(ex, all.last(50), all.first(50)));
    EXPECT_NO_THROW(inclusive_scan(ex, all.subspan(10, 0), all.subspan(10, 0)));
    EXPECT_NO_THROW(inclusive_scan(ex, all, all));
}

TEST(scan_errors, an_exclusive_scan_without_identity) {
    cpu::executor ex(2);
    const std::vector<float> in(3, 1.0f);
    guarded<float> out(3);
    expect_refused("options.initial", {"identity"}, [&] { exclusive_scan(ex, in, out.span(), first); });
    expect_refused("options.initial", {"identity"},
                   [&] { transform_exclusive_scan(ex, in, out.span(), first, std::identity()); });
    EXPECT_TRUE(out.untouched());
    EXPECT_NO_THROW(exclusive_scan(ex, in, out.span(), first, {.initial = 2.0f}));
    EXPECT_NO_THROW(inclusive_scan(ex, in, out.span(), first));
    // Later blocks have something to their left.
    scan_carry<float> carry;
    const std::vector<float> block(4096, 1.0f);
    std::vector<float> results(4096);
    EXPECT_NO_THROW(inclusive_scan(ex, block, results, first, {.carry = &carry}));
    EXPECT_NO_THROW(exclusive_scan(ex, block, results, first, {.carry = &carry}));
}

TEST(scan_errors, the_total_of_nothing_without_identity) {
    cpu::executor ex(2);
    float total = 5;
    const std::vector<float> none;
    expect_refused("options.total", {"identity"},
                   [&] { inclusive_scan(ex, none, std::span<float>(), first, {.total = &total}); });
    EXPECT_EQ(total, 5);
    EXPECT_NO_THROW(inclusive_scan(ex, none, std::span<float>(), first, {.initial = 2.0f, .total = &total}));
    EXPECT_EQ(total, 2);
}

TEST(error, is_a_system_error_of_the_librarys_category) {
    const error e(errc::unsupported, "level: none");
    EXPECT_STREQ(e.what(), "level: none");
    EXPECT_EQ(e.code(), errc::unsupported);
    EXPECT_NE(e.code(), errc::io);
    EXPECT_EQ(&e.code().category(), &error_category());
    EXPECT_STREQ(error_category().name(), "upsweep");
    for (const errc code :
         {errc::invalid_argument, errc::out_of_memory, errc::io, errc::unsupported, errc::device}) {
        EXPECT_FALSE(make_error_code(code).message().empty());
        EXPECT_TRUE(make_error_code(code));
    }
    EXPECT_THROW(throw_error(errc::io, "out: full"), std::system_error);
}

}  // namespace
}  // namespace upsweep::test
