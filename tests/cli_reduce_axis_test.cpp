// `upsweep reduce --axis`: every axis of arrays in C and Fortran order, slab by slab, rows and columns at a
// time, from files and pipes. Expected bits come from the scalar reference.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/cli_numbers.hpp"

namespace upsweep::test {
namespace {

using shape = std::vector<std::size_t>;

std::string words_of(const shape& extents) {
    std::string words;
    for (const std::size_t extent : extents) words += std::to_string(extent) + ", ";
    if (extents.size() > 1) words.resize(words.size() - 2);
    if (extents.size() == 1) words.pop_back();
    return words;
}

class cli_reduce_axis : public cli_test {
  protected:
    template <class T>
    void expect_array(const std::string& name, const std::string& descr, const shape& extents, bool fortran,
                      const std::vector<T>& want) const {
        const std::string file = read(name);
        EXPECT_EQ(npy_header(file), "{'descr': '" + descr +
                                        "', 'fortran_order': " + (fortran ? "True" : "False") +
                                        ", 'shape': (" + words_of(extents) + "), }");
        const std::vector<T> got = elements_of<T>(npy_data(file));
        ASSERT_EQ(got.size(), want.size());
        const std::size_t at = first_difference(got.data(), want.data(), got.size());
        if (at != got.size())
            FAIL() << "at " << at << ": " << describe(got[at]) << " instead of " << describe(want[at]);
    }

    // Totals in the order of the file.
    template <class T, class Op = plus>
    static std::vector<T> totals(const std::vector<T>& in, const shape& extents, std::size_t axis,
                                 bool fortran, std::optional<T> initial = {}, Op op = {}) {
        std::size_t inner = 1, all = 1;
        for (std::size_t k = 0; k < extents.size(); ++k) {
            if (fortran ? k < axis : k > axis) inner *= extents[k];
            all *= extents[k];
        }
        std::vector<T> want;
        const std::size_t slab = inner * extents[axis];
        for (std::size_t outer = 0; slab != 0 && outer < all / slab; ++outer) {
            for (std::size_t column = 0; column < inner; ++column) {
                std::vector<T> slice;
                for (std::size_t i = 0; i < extents[axis]; ++i)
                    slice.push_back(in[outer * slab + i * inner + column]);
                want.push_back(folded<T, T>(slice, initial, op));
            }
        }
        return want;
    }
};

TEST_F(cli_reduce_axis, every_axis_of_every_order) {
    for (const shape& extents : {shape{6, 700},
                                 {700, 6},
                                 {3, 40, 50},
                                 {1, 5000, 1},
                                 {5, 1, 3},
                                 {2, 9000},
                                 {9000, 2},
                                 {2, 3, 4, 5}}) {
        std::size_t n = 1;
        for (const std::size_t extent : extents) n *= extent;
        const auto in = numbers_near_one<float>(n);
        for (const bool fortran : {false, true}) {
            write("in.npy", npy_file("<f4", words_of(extents), bytes_of(in), fortran));
            write("big.npy", npy_file(">f4", words_of(extents), bytes_of(in, 4), fortran));
            for (std::size_t axis = 0; axis < extents.size(); ++axis) {
                if (sanitized && (axis % 2 == 0) == fortran) continue;  // one order, in turn
                shape left = extents;
                left.erase(left.begin() + static_cast<std::ptrdiff_t>(axis));
                const bool keeps_order = fortran && left.size() > 1;
                const auto want = totals(in, extents, axis, fortran);
                const std::string along = " --axis " + std::to_string(axis);
                const std::string from_end = " --axis -" + std::to_string(extents.size() - axis);
                SCOPED_TRACE(words_of(extents) + along + (fortran ? " fortran" : ""));
                succeed("reduce in.npy -o out.npy" + along);
                expect_array("out.npy", "<f4", left, keeps_order, want);
                succeed("reduce big.npy -o out.npy" + from_end, "UPSWEEP_BLOCK_BYTES=100");
                expect_array("out.npy", "<f4", left, keeps_order, want);
                if (sanitized) continue;
                succeed("reduce in.npy -o out.npy" + along, "UPSWEEP_BLOCK_BYTES=5000");
                expect_array("out.npy", "<f4", left, keeps_order, want);
                write("out.npy",
                      shell("cat big.npy | UPSWEEP_BLOCK_BYTES=100 \"$UPSWEEP\" reduce -" + along + " | cat")
                          .out);
                expect_array("out.npy", "<f4", left, keeps_order, want);
                succeed("reduce in.npy -o out.npy --init 0.1" + along, "UPSWEEP_BLOCK_BYTES=1000");
                expect_array("out.npy", "<f4", left, keeps_order,
                             totals(in, extents, axis, fortran, std::optional<float>(0.1f)));
            }
        }
    }
}

// Columns of several supers, some rows at a time.
TEST_F(cli_reduce_axis, long_columns) {
    const shape extents{270001, 3};
    const auto in = numbers_near_one<float>(3 * extents[0]);
    write("in.npy", npy_file("<f4", "270001, 3", bytes_of(in)));
    const auto want = totals(in, extents, 0, false);
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=100000", "UPSWEEP_BLOCK_BYTES=1000",
                               "UPSWEEP_BLOCK_BYTES=30", "UPSWEEP_BLOCK_BYTES=4"}) {
        // Blocks of a row each take as many turns of three threads.
        if (sanitized && std::string(blocks).size() < 23 && *blocks != '\0') continue;
        SCOPED_TRACE(blocks);
        succeed("reduce in.npy -o out.npy --axis 0", blocks);
        expect_array("out.npy", "<f4", {3}, false, want);
    }
    EXPECT_EQ(npy_data(shell("cat in.npy | \"$UPSWEEP\" reduce - --axis 0 | cat").out), bytes_of(want));
}

TEST_F(cli_reduce_axis, other_types_and_operators) {
    write("in.npy", npy_file(">i2", "2, 3", std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12)));
    const auto result = [&](const std::string& how, const char* blocks = "") {
        succeed("reduce in.npy -o out.npy " + how, blocks);
        return npy_data(read("out.npy"));
    };
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=4"}) {
        SCOPED_TRACE(blocks);
        EXPECT_EQ(result("--axis 0", blocks), bytes_of<std::int64_t>({5, 7, 9}));
        EXPECT_EQ(result("--axis -1 --init 10", blocks), bytes_of<std::int64_t>({16, 25}));
        EXPECT_EQ(result("--axis 0 --op maximum", blocks), bytes_of<std::int16_t>({4, 5, 6}));
        EXPECT_EQ(result("--axis 0 --op logical_and", blocks), "\x01\x01\x01");
        EXPECT_EQ(result("--axis 1 --op bit_xor --dtype int32", blocks), bytes_of<std::int32_t>({0, 7}));
        EXPECT_EQ(result("--axis 1 --dtype complex64", blocks), bytes_of<std::complex<float>>({6, 15}));
    }
    write("in.npy", npy_file("<f2", "3, 2",
                             bytes_of<float16>({float16(1.0f), float16(2.0f), float16(0.001f), float16(0.5f),
                                                float16(0.001f), float16(4.0f)})));
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=2"})  // rounded once, at the end
        EXPECT_EQ(result("--axis 0", blocks), bytes_of<float16>({float16(1.002f), float16(6.5f)}));
    write("in.npy", npy_file("<c8", "2, 2", bytes_of<std::complex<float>>({{1, 2}, {3, 4}, {5, 6}, {7, 8}})));
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=8"})
        EXPECT_EQ(result("--axis 0 --init 1+1j", blocks), bytes_of<std::complex<float>>({{7, 9}, {11, 13}}));
    write("in.npy", npy_file("|b1", "3, 2", std::string("\1\0\2\0\1\1", 6)));
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1"}) {
        EXPECT_EQ(result("--axis 0", blocks), bytes_of<std::int64_t>({3, 1}));
        EXPECT_EQ(result("--axis 0 --op logical_and", blocks), std::string("\1\0", 2));
        EXPECT_EQ(result("--axis 1 --op bit_xor", blocks), std::string("\1\1\0", 3));
    }
}

TEST_F(cli_reduce_axis, no_elements_and_one_dimension) {
    write("in.npy", npy_file("<f4", "2, 0, 3", ""));
    succeed("reduce in.npy -o out.npy --axis 1");
    expect_array("out.npy", "<f4", {2, 3}, false, std::vector<float>(6, -0.0f));
    succeed("reduce in.npy -o out.npy --axis 1 --op maximum --init 2");
    expect_array("out.npy", "<f4", {2, 3}, false, std::vector<float>(6, 2.0f));
    succeed("reduce in.npy -o out.npy --axis 0");
    expect_array("out.npy", "<f4", {0, 3}, false, std::vector<float>());
    write("in.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
    const std::string single = shell("\"$UPSWEEP\" reduce in.npy --axis 0 | cat").out;
    EXPECT_EQ(npy_header(single), "{'descr': '<i8', 'fortran_order': False, 'shape': (), }");
    EXPECT_EQ(npy_data(single), bytes_of<std::int64_t>({6}));
    write("in.raw", bytes_of<std::int32_t>({1, 2, 3}));
    EXPECT_EQ(shell("\"$UPSWEEP\" reduce in.raw --dtype int32 --axis -1 | cat").out,
              bytes_of<std::int32_t>({6}));
    fail(2, "reduce in.raw --dtype int32 --axis 1 -o out.raw",
         "--axis 1: in.raw has 1 dimension, so it must be from -1 to 0");
}

TEST_F(cli_reduce_axis, what_json_tells_and_errors) {
    write("in.npy", npy_file("<i4", "2, 3", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6}), true));
    const std::string json = succeed("reduce in.npy --json --axis -1 -o out.npy");
    EXPECT_NE(json.find(R"("n": 6, "shape": [2, 3], "axis": 1, "total": null, "seconds": )"),
              std::string::npos)
        << json;
    EXPECT_NE(json.find(R"("bytes": 40, )"), std::string::npos) << json;
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({9, 12}));
    const std::string old = read("out.npy");
    fail(2, "reduce in.npy --axis 2 -o out.npy", "in.npy has 2 dimensions, so it must be from -2 to 1");
    fail(2, "reduce in.npy --axis -3 -o out.npy", "in.npy has 2 dimensions, so it must be from -2 to 1");
    fail(1, "reduce in.npy --axis 0 -o in.npy", "in.npy: is the input too");
    const std::string good = read("in.npy");
    write("in.npy", good.substr(0, good.size() - 4));
    fail(1, "reduce in.npy --axis 0 -o out.npy", "data is truncated");
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1 "}) {
        EXPECT_EQ(
            shell(std::string("cat in.npy | ") + blocks + "\"$UPSWEEP\" reduce - --axis 1 -o out.npy").code,
            1);
    }
    EXPECT_EQ(read("out.npy"), old);
    EXPECT_EQ(files(), (std::vector<std::string>{"in.npy", "out.npy"}));
}

// 1.5 GB along the first axis and the last, from a pipe where that does not hold them, else from a file.
TEST_F(cli_reduce_axis, files_stream_in_bounded_memory) {
    if (sanitized || emulated) GTEST_SKIP() << "sanitizers and emulators need memory of their own";
    for (const char* made : {"30000000, 50", "50, 30000000"}) {
        const std::string head = npy_file("|u1", made, "");
        write("in.npy", head);
        std::filesystem::resize_file(path("in.npy"), head.size() + 1500000000);
        for (const char* axis : {"0", "1"}) {
            SCOPED_TRACE(std::string(made) + " along " + axis);
            const bool is_held = *made == '5' && *axis == '0';  // of a pipe
            const char* read = is_held ? "\"$UPSWEEP\" reduce in.npy" : "cat in.npy | \"$UPSWEEP\" reduce -";
            const outcome result =
                shell(std::string("(ulimit -v 1200000; ") + read +
                      " --init 1 --dtype uint8 -o out.npy --axis " + axis + ") && od -An -tu1 -j128 out.npy");
            EXPECT_EQ(result.code, 0) << result.words;
            EXPECT_EQ(result.out.find_first_not_of(" 01*\n"), std::string::npos) << result.out;
            EXPECT_EQ(result.out.find("   1   1   1"), 0u) << result.out;
        }
    }
}

}  // namespace
}  // namespace upsweep::test
