// `upsweep scan`, `bench` and `devices` on devices other than the CPU: the same bytes, and the report of
// which one ran.
//
// A device that this build or machine lacks must be refused in one line. OpenGL and Vulkan have software
// drivers, so where their back ends are built they must be there.
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/cli.hpp"
#include "support/random.hpp"

namespace upsweep::test {
namespace {

constexpr std::size_t super = 131072;

bool is_built(const std::string& kind) {
    std::istringstream words(UPSWEEP_TEST_BACK_ENDS);
    for (std::string word; words >> word;) {
        if (word == kind) return true;
    }
    return false;
}

class cli_devices : public cli_test, public ::testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("x.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
        static const std::string listed = succeed("devices --json");
        available_ =
            listed.find(R"({"name": ")" + GetParam() + R"(", "available": true, )") != std::string::npos;
        ASSERT_TRUE(available_ || !is_built(GetParam()) || GetParam() == "cuda") << listed;
    }
    [[nodiscard]] bool available() const { return available_; }
    [[nodiscard]] std::string option() const { return " --device " + GetParam(); }

    // Once: it measures every device.
    const std::string& listed_for_reading() const {
        static const std::string table = succeed("devices");
        return table;
    }

    // The same scan on the device and on the CPU gives the same file, and the device did it.
    void expect_the_cpus_bytes(const std::string& arguments, const std::string& output = "y.npy",
                               const std::string& environment = {}) const {
        SCOPED_TRACE(arguments);
        succeed("scan " + arguments + " --device cpu -o cpu-" + output);
        const std::string json =
            succeed("scan " + arguments + option() + " --json -o " + output, environment);
        EXPECT_NE(json.find(R"("device": ")" + GetParam() + R"(", "model": ")"), std::string::npos) << json;
        EXPECT_TRUE(read(output) == read("cpu-" + output));
        EXPECT_FALSE(read(output).empty());
    }

  private:
    bool available_ = false;
};

TEST_P(cli_devices, one_that_is_absent_is_refused_in_one_line) {
    if (available()) GTEST_SKIP() << GetParam() << " is here";
    const std::string& table = listed_for_reading();
    const std::string words = "not available: ";
    const std::size_t at = table.find("\n" + GetParam());
    ASSERT_NE(at, std::string::npos) << table;
    const std::size_t reason = table.find(words, at) + words.size();
    const std::string why = table.substr(reason, table.find('\n', reason) - reason);
    EXPECT_FALSE(why.empty());
    write("y.npy", "old");
    fail(1, "scan x.npy -o y.npy" + option(), "upsweep: device " + GetParam() + ": " + why + "\n");
    EXPECT_EQ(read("y.npy"), "old");
    fail(1, "bench --sizes 10 --json" + option(), "upsweep: device " + GetParam() + ": " + why + "\n");
    fail(1, "scan x.npy -o y.npy" + option() + ":1", "device " + GetParam() + ":1: ");
    EXPECT_EQ(why == "this build has no back end for it", !is_built(GetParam())) << why;
}

// The program starts and tells why where the system has no driver; `devices` does not fail.
TEST_P(cli_devices, one_without_drivers_is_refused_too) {
    if (!available()) GTEST_SKIP() << GetParam() << " is not here";
    if (GetParam() == "cuda") GTEST_SKIP() << "no variable names the driver of cuda";
    EXPECT_NE(succeed("devices --json", no_drivers)
                  .find(R"({"name": ")" + GetParam() + R"(", "available": false, "reason": ")"),
              std::string::npos);
    const outcome refused = upsweep("scan x.npy -o y.npy" + option(), no_drivers);
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.words.find("upsweep: device " + GetParam() + ": "), 0u) << refused.words;
    EXPECT_FALSE(exists("y.npy"));
}

TEST_P(cli_devices, arrays) {
    if (!available()) GTEST_SKIP() << GetParam() << " is not here";
    random_bits random(1);
    const auto numbers = [&](std::size_t n) {
        std::vector<float> x(n);
        for (float& each : x) each = static_cast<float>(random.between(-1, 1));
        return bytes_of(x);
    };
    // One in two: each run of the tool opens the device anew.
    std::size_t turn = 0;
    const auto is_left_out = [&] { return turn++ % 2 != 0; };
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{5001}, super + 78}) {
        write("f.npy", npy_file("<f4", std::to_string(n) + ",", numbers(n)));
        expect_the_cpus_bytes("f.npy");
        if (n % 2 == 0) continue;
        for (const char* options :
             {" --exclusive", " --reverse --init 2.5 --op multiplies", " --op maximum --exclusive --reverse",
              " --accumulate float64", " --op logical_or"}) {
            if (!is_left_out()) expect_the_cpus_bytes(std::string("f.npy") + options);
        }
    }
    // Several blocks of one super, in a pipe and to a pipe too.
    write("long.npy", npy_file("<f4", std::to_string(3 * super + 5) + ",", numbers(3 * super + 5)));
    for (const char* options : {"", " --reverse --exclusive", " --dtype float64 --init 0.1"}) {
        if (!is_left_out())
            expect_the_cpus_bytes(std::string("long.npy") + options, "y.npy", "UPSWEEP_BLOCK_BYTES=1");
    }
    succeed("scan long.npy --device cpu -o cpu-y.npy");
    EXPECT_EQ(shell("cat long.npy | \"$UPSWEEP\" scan -" + option() + " | cmp - cpu-y.npy").code, 0);
    std::vector<std::int16_t> narrow(70'000);
    for (std::int16_t& each : narrow) each = static_cast<std::int16_t>(random());
    write("n.npy", npy_file(">i2", "70000,", bytes_of(narrow, 2)));
    for (const char* options :
         {"", " --dtype int8", " --op minimum --exclusive", " --op bit_xor", " --op plus --dtype float16"}) {
        if (!is_left_out()) expect_the_cpus_bytes(std::string("n.npy") + options);
    }
    write("t.raw", bytes_of(narrow));
    expect_the_cpus_bytes("t.raw --dtype uint16", "y.raw");
}

TEST_P(cli_devices, tables) {
    if (!available()) GTEST_SKIP() << GetParam() << " is not here";
    std::string table = "key,n,x\n";
    for (int i = 0; i < 1000; ++i)
        table += "k," + std::to_string(i * i % 17 - 8) + "," + std::to_string(i) + ".25\n";
    write("t.csv", table);
    expect_the_cpus_bytes("t.csv --column n", "y.csv");
    expect_the_cpus_bytes("t.csv --column x --exclusive", "y.csv");
    const auto before = files();
    fail(1, "scan t.csv --column n --by key -o z.csv" + option(),
         "upsweep: device " + GetParam() + ": scans of groups are unsupported there; the cpu has them\n");
    write("m.npy", npy_file("<i4", "2, 3", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6})));
    for (const char* options : {" --axis 0", " --axis 1 --exclusive", " --axis -2 --reverse --op maximum"})
        expect_the_cpus_bytes(std::string("m.npy") + options);
    EXPECT_FALSE(exists("z.csv") || exists("z.npy"));
    succeed("scan m.npy --axis 0 -o z.npy --device auto");
}

TEST_P(cli_devices, what_is_not_there_is_named) {
    if (!available()) GTEST_SKIP() << GetParam() << " is not here";
    fail(1, "scan x.npy -o y.npy" + option() + ":99",
         "device " + GetParam() + ":99: there is no such device; the last of its kind has number ");
    write("c.npy", npy_file("<c8", "1,", bytes_of<float>({1, 2})));
    if (GetParam() == "cuda") {
        expect_the_cpus_bytes("c.npy");
    } else {
        fail(1, "scan c.npy -o y.npy" + option(),
             "upsweep: device " + GetParam() + ": plus in complex64 is unsupported there; the cpu has it\n");
    }
    EXPECT_FALSE(exists("z.npy"));
}

TEST_P(cli_devices, bench_and_devices) {
    if (!available()) GTEST_SKIP() << GetParam() << " is not here";
    const std::string json = succeed("bench --sizes 2000 --op maximum --dtype int32 --json" + option());
    EXPECT_EQ(json.find(R"([{"device": ")" + GetParam() +
                        R"(", "work": "inclusive maximum", "type": "int32", "n": 2000, "seconds": )"),
              0u)
        << json;
    EXPECT_NE(json.find(R"(, "copy_seconds": )"), std::string::npos);
    fail(1, "bench --sizes 100 --dtype int8 --json" + option(), "plus of int8 is not timed there");
    const std::string& table = listed_for_reading();
    const std::size_t at = table.find("\n" + GetParam());
    ASSERT_NE(at, std::string::npos) << table;
    EXPECT_NE(table.find("/s in its memory (read and written)", at), std::string::npos) << table;
    EXPECT_NE(table.find("bit-conforming", at), std::string::npos) << table;
    EXPECT_EQ(table.find("not bit-conforming", at), std::string::npos) << table;
}

INSTANTIATE_TEST_SUITE_P(devices, cli_devices, ::testing::Values("cuda", "gl", "vulkan"),
                         [](const auto& test) { return test.param; });

TEST_F(cli_test, devices_lists_the_processor_first) {
    EXPECT_EQ(succeed("devices", no_drivers).find("cpu "), 0u);
    const std::string json = succeed("devices --json", no_drivers);
    EXPECT_EQ(json.find(R"([{"name": "cpu", "available": true, "model": ")"), 0u) << json;
    for (const char* part : {R"(, "threads": )", R"(, "simd": ")", R"(, "simd_levels": ["portable")",
                             R"(, "bit_conforming": true, "findings": [], "copy_bytes_per_second": )"})
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    EXPECT_NE(succeed("devices --json", std::string("UPSWEEP_SIMD=portable ") + no_drivers)
                  .find(R"("simd": "portable")"),
              std::string::npos);
}

}  // namespace
}  // namespace upsweep::test
