// `upsweep scan` on .npy and raw files: types, byte orders, memory orders, axes, options, blocks, pipes.
// Expected bits come from the scalar reference.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/small_numbers.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed = 7) {
    return small_numbers<T>(n, seed, 7);
}

struct options {
    bool exclusive = false;
    bool reverse = false;
};

// One sequence by the odometer.
template <class Acc, class Out, class In, class Op = plus>
std::vector<Out> expected(std::vector<In> in, options how = {}, std::optional<Acc> initial = {}, Op op = {}) {
    if (how.reverse) std::reverse(in.begin(), in.end());
    core::odometer<Acc, Op> total(op, initial);
    std::vector<Out> out;
    for (const In& x : in) {
        if (how.exclusive)
            out.push_back(cpu::convert<Out>(total.value() ? *total.value() : identity_of<Acc>(op)));
        total.take(cpu::convert<Acc>(x));
        if (!how.exclusive) out.push_back(cpu::convert<Out>(*total.value()));
    }
    if (how.reverse) std::reverse(out.begin(), out.end());
    return out;
}

class cli_array : public cli_test {
  protected:
    template <class T>
    void expect_npy(const std::string& name, const std::string& descr, const std::vector<T>& want) {
        const std::string file = read(name);
        EXPECT_NE(npy_header(file).find("'" + descr + "'"), std::string::npos) << npy_header(file);
        const std::vector<T> got = elements_of<T>(npy_data(file));
        ASSERT_EQ(got.size(), want.size());
        const std::size_t at = first_difference(got.data(), want.data(), got.size());
        if (at != got.size())
            FAIL() << "at " << at << ": " << describe(got[at]) << " instead of " << describe(want[at]);
    }

    // A sequence in both byte orders, both directions, inclusive and exclusive, in one block and in many.
    template <class In, class Acc, class Out>
    void check_type(const std::string& code, const std::string& result, std::size_t word = sizeof(In)) {
        SCOPED_TRACE(code);
        // Threads hand on blocks of bytes, whatever their type.
        if (thread_sanitizer && sizeof(In) != 4 && code != "c8") return;
        const std::size_t n = 21000;
        const auto in = numbers<In>(n);
        const std::string shape = std::to_string(n) + ",";
        write("little.npy", npy_file((word == 1 ? "|" : "<") + code, shape, bytes_of(in)));
        write("big.npy", npy_file((word == 1 ? "|" : ">") + code, shape, bytes_of(in, word)));
        for (const options how :
             {options{}, options{true, false}, options{false, true}, options{true, true}}) {
            // Directions differ in nothing between types.
            if (sanitized && code != "f4" && how.exclusive != how.reverse) continue;
            const auto want = expected<Acc, Out>(in, how);
            const std::string flags =
                std::string(how.exclusive ? " --exclusive" : "") + (how.reverse ? " --reverse" : "");
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=30000"}) {
                if (sanitized && how.exclusive == (*blocks == '\0')) continue;  // one of them, in turn
                SCOPED_TRACE(flags + blocks);
                succeed("scan little.npy -o out.npy" + flags, blocks);
                expect_npy("out.npy", result, want);
            }
            if (sanitized && !(how.exclusive && how.reverse)) continue;
            succeed("scan big.npy -o out.npy" + flags, "UPSWEEP_BLOCK_BYTES=100000");
            expect_npy("out.npy", result, want);
        }
    }
};

TEST_F(cli_array, signed_integers_widen_to_64_bits) {
    check_type<std::int8_t, std::int64_t, std::int64_t>("i1", "<i8");
    check_type<std::int16_t, std::int64_t, std::int64_t>("i2", "<i8");
    check_type<std::int32_t, std::int64_t, std::int64_t>("i4", "<i8");
    check_type<std::int64_t, std::int64_t, std::int64_t>("i8", "<i8");
}
TEST_F(cli_array, unsigned_integers_widen_to_64_bits) {
    check_type<std::uint8_t, std::uint64_t, std::uint64_t>("u1", "<u8");
    check_type<std::uint16_t, std::uint64_t, std::uint64_t>("u2", "<u8");
    check_type<std::uint32_t, std::uint64_t, std::uint64_t>("u4", "<u8");
    check_type<std::uint64_t, std::uint64_t, std::uint64_t>("u8", "<u8");
}
TEST_F(cli_array, floats_keep_their_type) {
    check_type<float16, float, float16>("f2", "<f2");
    check_type<float, float, float>("f4", "<f4");
    check_type<double, double, double>("f8", "<f8");
}
TEST_F(cli_array, complex_numbers_keep_their_type) {
    check_type<std::complex<float>, std::complex<float>, std::complex<float>>("c8", "<c8", 4);
    check_type<std::complex<double>, std::complex<double>, std::complex<double>>("c16", "<c16", 8);
}
TEST_F(cli_array, truth_values_count_in_int64) {
    write("in.npy", npy_file("|b1", "5,", std::string("\x01\x00\x01\x07\x00", 5)));
    succeed("scan in.npy -o out.npy");
    expect_npy<std::int64_t>("out.npy", "<i8", {1, 1, 2, 3, 3});
    succeed("scan in.npy -o out.npy --op logical_and");
    EXPECT_EQ(npy_data(read("out.npy")), std::string("\x01\x00\x00\x00\x00", 5));
    succeed("scan in.npy -o out.npy --op logical_or --exclusive");
    EXPECT_EQ(npy_data(read("out.npy")), std::string("\x00\x01\x01\x01\x01", 5));
    succeed("scan in.npy -o out.npy --op bit_and --exclusive --dtype bool");
    EXPECT_EQ(npy_data(read("out.npy")), std::string("\x01\x01\x00\x00\x00", 5));
    succeed("scan in.npy -o out.npy --op bit_xor --reverse");
    EXPECT_EQ(npy_data(read("out.npy")), std::string("\x01\x00\x00\x01\x00", 5));
}

// Literals, as numpy.cumulative_sum, multiply.accumulate, minimum.accumulate and so on give them.
TEST_F(cli_array, known_results_of_every_operator) {
    write("in.npy", npy_file("<i4", "6,", bytes_of<std::int32_t>({6, -3, 5, 5, -9, 12})));
    const auto result = [&](const std::string& arguments) {
        succeed("scan in.npy -o out.npy " + arguments);
        return npy_data(read("out.npy"));
    };
    EXPECT_EQ(result(""), bytes_of<std::int64_t>({6, 3, 8, 13, 4, 16}));
    EXPECT_EQ(result("--op multiplies"), bytes_of<std::int64_t>({6, -18, -90, -450, 4050, 48600}));
    EXPECT_EQ(result("--op minimum"), bytes_of<std::int32_t>({6, -3, -3, -3, -9, -9}));
    EXPECT_EQ(result("--op maximum"), bytes_of<std::int32_t>({6, 6, 6, 6, 6, 12}));
    EXPECT_EQ(result("--op bit_and"), bytes_of<std::int32_t>({6, 4, 4, 4, 4, 4}));
    EXPECT_EQ(result("--op bit_or"), bytes_of<std::int32_t>({6, -1, -1, -1, -1, -1}));
    EXPECT_EQ(result("--op bit_xor"), bytes_of<std::int32_t>({6, -5, -2, -5, 12, 0}));
    EXPECT_EQ(result("--op logical_or"), "\x01\x01\x01\x01\x01\x01");
    EXPECT_EQ(result("--reverse"), bytes_of<std::int64_t>({16, 10, 13, 8, 3, 12}));
    EXPECT_EQ(result("--exclusive"), bytes_of<std::int64_t>({0, 6, 3, 8, 13, 4}));
    EXPECT_EQ(result("--exclusive --init 100"), bytes_of<std::int64_t>({100, 106, 103, 108, 113, 104}));
    EXPECT_EQ(result("--init -5 --reverse"), bytes_of<std::int64_t>({11, 5, 8, 3, -2, 7}));
    EXPECT_EQ(result("--dtype int8 --op multiplies"), bytes_of<std::int8_t>({6, -18, -90, 62, -46, -40}));
    EXPECT_EQ(result("--dtype float64"), bytes_of<double>({6, 3, 8, 13, 4, 16}));
    EXPECT_EQ(result("--accumulate int8 --dtype int64 --op multiplies"),
              bytes_of<std::int64_t>({6, -18, -90, 62, -46, -40}));
    EXPECT_EQ(result("--dtype complex64"), bytes_of<std::complex<float>>({6, 3, 8, 13, 4, 16}));
    EXPECT_EQ(result("--op minimum --exclusive"),
              bytes_of<std::int32_t>({std::numeric_limits<std::int32_t>::max(), 6, -3, -3, -3, -9}));
}

TEST_F(cli_array, accumulators_of_another_type) {
    const auto in = numbers<float>(30000);
    write("in.npy", npy_file("<f4", "30000,", bytes_of(in)));
    succeed("scan in.npy -o out.npy --accumulate float64");
    expect_npy("out.npy", "<f4", expected<double, float>(in));
    succeed("scan in.npy -o out.npy --dtype float64", "UPSWEEP_BLOCK_BYTES=40000");
    expect_npy("out.npy", "<f8", expected<double, double>(in));
    succeed("scan in.npy -o out.npy --dtype float16 --exclusive --init 0.25");
    expect_npy("out.npy", "<f2", expected<float, float16>(in, {true, false}, 0.25f));
    succeed("scan in.npy -o out.npy --op maximum --threads 3");
    expect_npy("out.npy", "<f4", expected<float, float>(in, {}, {}, maximum()));
}

// Every 1-D slice is a sequence of its own, in C and in Fortran order, in slabs of any size.
TEST_F(cli_array, any_axis_of_any_order) {
    std::size_t turn = 0;
    for (const auto& extents : {std::vector<std::size_t>{6, 700},
                                {700, 6},
                                {3, 40, 50},
                                {1, 5000, 1},
                                {2, 9000},
                                {9000, 2},
                                {4, 0, 3},
                                {2, 3, 4, 5}}) {
        std::string shape;
        std::size_t n = 1;
        for (const std::size_t extent : extents) {
            shape += std::to_string(extent) + ", ";
            n *= extent;
        }
        const auto in = numbers<float>(n);
        ++turn;
        for (const bool fortran : {false, true}) {
            write("in.npy", npy_file("<f4", shape, bytes_of(in), fortran));
            for (std::size_t axis = 0; axis < extents.size(); ++axis) {
                if (sanitized && ((axis + turn) % 2 == 0) == fortran) continue;  // one order, in turn
                std::size_t stride = 1;
                if (fortran)
                    for (std::size_t k = 0; k < axis; ++k) stride *= extents[k];
                else
                    for (std::size_t k = axis + 1; k < extents.size(); ++k) stride *= extents[k];
                for (const bool reverse : {false, true}) {
                    if (sanitized && reverse != fortran) continue;
                    std::vector<float> want(n);
                    for (std::size_t first = 0; first < n; ++first) {
                        if (first / stride % extents[axis] != 0) continue;
                        std::vector<float> slice;
                        for (std::size_t i = 0; i < extents[axis]; ++i)
                            slice.push_back(in[first + i * stride]);
                        slice = expected<float, float>(slice, {false, reverse});
                        for (std::size_t i = 0; i < extents[axis]; ++i) want[first + i * stride] = slice[i];
                    }
                    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=100"}) {
                        if (sanitized && (axis % 2 == 0) == (*blocks == '\0')) continue;  // one, in turn
                        SCOPED_TRACE(shape + "axis " + std::to_string(axis) + (fortran ? " fortran " : " ") +
                                     (reverse ? "reverse " : "") + blocks);
                        succeed("scan in.npy -o out.npy --axis " + std::to_string(axis) +
                                    (reverse ? " --reverse" : ""),
                                blocks);
                        expect_npy("out.npy", "<f4", want);
                        const std::string order =
                            fortran ? "'fortran_order': True" : "'fortran_order': False";
                        EXPECT_NE(npy_header(read("out.npy")).find(order), std::string::npos);
                    }
                }
            }
        }
    }
    write("in.npy", npy_file(">i2", "2, 3", std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12)));
    succeed("scan in.npy -o out.npy --axis -1");
    expect_npy<std::int64_t>("out.npy", "<i8", {1, 3, 6, 4, 9, 15});
    write("in.npy", npy_file("<c8", "2, 2", bytes_of<std::complex<float>>({{1, 2}, {3, 4}, {5, 6}, {7, 8}})));
    succeed("scan in.npy -o out.npy --axis 0 --exclusive --init 1+1j");
    expect_npy<std::complex<float>>("out.npy", "<c8", {{1, 1}, {1, 1}, {2, 3}, {4, 5}});
}

TEST_F(cli_array, lengths_around_blocks) {
    for (const std::size_t n : {0, 1, 4095, 4096, 4097, 8192, 12287, 12288, 12289, 131072, 140000}) {
        SCOPED_TRACE(n);
        const auto in = numbers<double>(n);
        write("in.npy", npy_file("<f8", std::to_string(n) + ",", bytes_of(in)));
        for (const bool reverse : {false, true}) {
            if (sanitized && reverse != (n % 2 != 0)) continue;
            succeed(std::string("scan in.npy -o out.npy") + (reverse ? " --reverse" : ""),
                    "UPSWEEP_BLOCK_BYTES=32768");
            expect_npy("out.npy", "<f8", expected<double, double>(in, {false, reverse}));
        }
    }
}

TEST_F(cli_array, raw_files_and_pipes) {
    const auto in = numbers<std::int16_t>(10000);
    const auto want = bytes_of(expected<std::int64_t, std::int64_t>(in));
    write("in.raw", bytes_of(in));
    write("big.bin", bytes_of(in, 2));
    succeed("scan in.raw --input-dtype int16 -o out.raw");
    EXPECT_EQ(read("out.raw"), want);
    succeed("scan big.bin --input-dtype '>i2' -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), want);
    succeed("scan in.raw --dtype int16 -o out.raw");  // input and results
    EXPECT_EQ(read("out.raw"), bytes_of(expected<std::int16_t, std::int16_t>(in)));
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=5000 "}) {
        EXPECT_EQ(shell(std::string("cat in.raw | ") + blocks +
                        "\"$UPSWEEP\" scan - --format raw --input-dtype int16 | cat")
                      .out,
                  want);
        EXPECT_EQ(shell(std::string("cat in.raw | ") + blocks +
                        "\"$UPSWEEP\" scan - --input-dtype i2 -o piped.npy; tail -c 80000 piped.npy")
                      .out,
                  want);
        EXPECT_EQ(shell(std::string(blocks) + "\"$UPSWEEP\" scan - --input-dtype i2 < in.raw").out, want);
    }
    write("in.npy", npy_file("<i2", "10000,", bytes_of(in)));
    const std::string forwards = shell("cat in.npy | \"$UPSWEEP\" scan - | cat").out;
    EXPECT_EQ(npy_data(forwards), want);
    const auto backwards = bytes_of(expected<std::int64_t, std::int64_t>(in, {false, true}));
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1000 "}) {
        EXPECT_EQ(
            npy_data(
                shell(std::string("cat in.npy | ") + blocks + "\"$UPSWEEP\" scan - --reverse | cat").out),
            backwards);
        EXPECT_EQ(npy_data(shell(std::string(blocks) + "\"$UPSWEEP\" scan in.npy --reverse | cat").out),
                  backwards);
    }
    write("half.raw", bytes_of<bfloat16>({bfloat16(1.0f), bfloat16(2.5f), bfloat16(0.125f)}));
    succeed("scan half.raw --dtype bfloat16 -o out.raw");
    EXPECT_EQ(read("out.raw"), bytes_of<bfloat16>({bfloat16(1.0f), bfloat16(3.5f), bfloat16(3.625f)}));
}

// More than the blocks in flight, so that memory in use is less than the file.
TEST_F(cli_array, files_stream_in_bounded_memory) {
    if (sanitized) GTEST_SKIP() << "sanitizers need memory of their own";
    const outcome result =
        stream_zeros(150'000'000, 1'200'000, "scan in.raw --input-dtype uint8 --init 1", "d8");
    EXPECT_EQ(result.code, 0) << result.words;
    EXPECT_EQ(result.out, "1200000000\n                    1\n");
}

}  // namespace
}  // namespace upsweep::test
