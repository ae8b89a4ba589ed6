// `upsweep reduce` of all elements of .npy and raw files: types, operators, orders, blocks, pipes, text,
// errors. Expected bits come from the scalar reference and from the last result of `upsweep scan`.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/cli_numbers.hpp"

namespace upsweep::test {
namespace {

constexpr const char* small_blocks = "UPSWEEP_BLOCK_BYTES=30000";

class cli_reduce : public cli_test {
  protected:
    // The file must hold one element of no dimensions.
    template <class T>
    void expect_single(const std::string& name, const std::string& descr, const T& want) const {
        const std::string file = read(name);
        ASSERT_EQ(npy_header(file), "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (), }");
        const std::string data = npy_data(file);
        ASSERT_EQ(data.size(), sizeof(T));
        T got;
        std::memcpy(static_cast<void*>(&got), data.data(), sizeof got);
        EXPECT_TRUE(same_bits(got, want)) << describe(got) << " instead of " << describe(want);
    }
    // What `scan` with those arguments writes last.
    [[nodiscard]] std::string last_of_scan(const std::string& arguments, std::size_t size) const {
        succeed("scan " + arguments + " -o scanned.npy");
        const std::string data = npy_data(read("scanned.npy"));
        return data.size() < size ? std::string() : data.substr(data.size() - size);
    }

    // In both byte orders, in one block and in many, from a file and from a pipe, with an initial value.
    template <class Acc, class Out, class In, class Op>
    void check_op(const std::string& name, const std::string& descr, const std::vector<In>& in, Op op) {
        SCOPED_TRACE(name);
        const Out want = folded<Acc, Out>(in, std::optional<Acc>(), op);
        const std::string how = " --op " + name;
        succeed("reduce little.npy -o out.npy" + how);
        expect_single("out.npy", descr, want);
        EXPECT_EQ(npy_data(read("out.npy")), last_of_scan("little.npy" + how, sizeof(Out)));
        if (sanitized && name != "plus") return;  // types differ in the registry, operators in it too
        succeed("reduce big.npy -o out.npy" + how, small_blocks);
        expect_single("out.npy", descr, want);
        EXPECT_EQ(shell("cat little.npy | \"$UPSWEEP\" reduce - -o out.npy" + how).code, 0);
        expect_single("out.npy", descr, want);
        succeed("reduce big.npy -o out.npy --init 1" + how, small_blocks);
        expect_single("out.npy", descr, folded<Acc, Out>(in, std::optional<Acc>(Acc(1)), op));
        EXPECT_EQ(npy_data(read("out.npy")), last_of_scan("little.npy --init 1" + how, sizeof(Out)));
    }
    template <class In, class Acc, class Sum>
    void check_type(const std::string& code, const std::string& sum, std::size_t word = sizeof(In)) {
        SCOPED_TRACE(code);
        const auto in = numbers_near_one<In>(21003);
        const std::string own = (word == 1 ? "|" : "<") + code;
        write("little.npy", npy_file(own, "21003,", bytes_of(in)));
        write("big.npy", npy_file((word == 1 ? "|" : ">") + code, "21003,", bytes_of(in, word)));
        check_op<Acc, Sum>("plus", sum, in, plus());
        check_op<Acc, Sum>("multiplies", sum, in, multiplies());
        using held = std::conditional_t<is_half<In>, float, In>;
        if constexpr (!is_complex<In>) {
            check_op<held, In>("minimum", own, in, minimum());
            check_op<held, In>("maximum", own, in, maximum());
        }
        if constexpr (std::is_integral_v<In>) {
            check_op<In, In>("bit_and", own, in, bit_and());
            check_op<In, In>("bit_or", own, in, bit_or());
            check_op<In, In>("bit_xor", own, in, bit_xor());
        }
        succeed("reduce little.npy -o out.npy --op logical_and");
        expect_single("out.npy", "|b1", std::count(in.begin(), in.end(), In(0)) == 0);
        succeed("reduce little.npy -o out.npy --op logical_or");
        expect_single("out.npy", "|b1", true);
    }
};

TEST_F(cli_reduce, signed_integers) {
    check_type<std::int8_t, std::int64_t, std::int64_t>("i1", "<i8");
    check_type<std::int16_t, std::int64_t, std::int64_t>("i2", "<i8");
    check_type<std::int32_t, std::int64_t, std::int64_t>("i4", "<i8");
    check_type<std::int64_t, std::int64_t, std::int64_t>("i8", "<i8");
}
TEST_F(cli_reduce, unsigned_integers) {
    check_type<std::uint8_t, std::uint64_t, std::uint64_t>("u1", "<u8");
    check_type<std::uint16_t, std::uint64_t, std::uint64_t>("u2", "<u8");
    check_type<std::uint32_t, std::uint64_t, std::uint64_t>("u4", "<u8");
    check_type<std::uint64_t, std::uint64_t, std::uint64_t>("u8", "<u8");
}
TEST_F(cli_reduce, floating_point_numbers) {
    check_type<float16, float, float16>("f2", "<f2");
    check_type<float, float, float>("f4", "<f4");
    check_type<double, double, double>("f8", "<f8");
}
TEST_F(cli_reduce, complex_numbers) {
    check_type<std::complex<float>, std::complex<float>, std::complex<float>>("c8", "<c8", 4);
    check_type<std::complex<double>, std::complex<double>, std::complex<double>>("c16", "<c16", 8);
}
TEST_F(cli_reduce, bfloat16_from_raw_files) {
    const auto in = numbers_near_one<bfloat16>(9000);
    write("in.raw", bytes_of(in));
    succeed("reduce in.raw --dtype bfloat16 -o out.raw", small_blocks);
    EXPECT_EQ(read("out.raw"), bytes_of<bfloat16>({folded<float, bfloat16>(in)}));
    EXPECT_EQ(succeed("reduce in.raw --dtype bfloat16 --op minimum"),
              succeed("reduce in.raw --input-dtype bfloat16 --op minimum --dtype float64"));
}
TEST_F(cli_reduce, truth_values) {
    write("in.npy", npy_file("|b1", "5,", std::string("\x01\x00\x01\x07\x00", 5)));
    const std::vector<std::pair<const char*, const char*>> all = {
        {"plus", "3\n"},    {"multiplies", "0\n"},  {"minimum", "0\n"},
        {"maximum", "1\n"}, {"logical_and", "0\n"}, {"logical_or", "1\n"},
        {"bit_and", "0\n"}, {"bit_or", "1\n"},      {"bit_xor", "1\n"}};
    for (const auto& [op, want] : all)
        EXPECT_EQ(succeed(std::string("reduce in.npy --op ") + op), want) << op;
    succeed("reduce in.npy -o out.npy --op bit_xor");
    expect_single("out.npy", "|b1", true);
}

// Several supers in blocks that end within them.
TEST_F(cli_reduce, long_sequences_in_any_blocks) {
    const auto in = numbers_near_one<float>(300001);
    write("in.npy", npy_file("<f4", "300001,", bytes_of(in)));
    write("in.raw", bytes_of(in));
    const float sum = folded<float, float>(in);
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1", "UPSWEEP_BLOCK_BYTES=200000"}) {
        SCOPED_TRACE(blocks);
        succeed("reduce in.npy -o out.npy", blocks);
        expect_single("out.npy", "<f4", sum);
        EXPECT_EQ(shell(std::string("cat in.raw | ") + blocks +
                        " \"$UPSWEEP\" reduce - --format raw --dtype float32 -o - | cat")
                      .out,
                  bytes_of<float>({sum}));
        succeed("reduce in.npy -o out.npy --accumulate float64 --threads 3", blocks);
        expect_single("out.npy", "<f4", folded<double, float>(in));
        succeed("reduce in.npy -o out.npy --dtype float64 --init 0.1", blocks);
        expect_single("out.npy", "<f8", folded<double, double>(in, std::optional<double>(0.1)));
        succeed("reduce in.npy -o out.npy --dtype float16 --op maximum --init -2.5", blocks);
        expect_single("out.npy", "<f2", folded<float, float16>(in, std::optional<float>(-2.5f), maximum()));
    }
    EXPECT_NE(succeed("reduce in.npy --json", "UPSWEEP_SIMD=portable").find(R"("simd": "portable")"),
              std::string::npos);
    EXPECT_EQ(succeed("reduce in.npy", "UPSWEEP_SIMD=portable"), succeed("reduce in.npy"));
}

TEST_F(cli_reduce, nothing_and_one_element) {
    write("none.npy", npy_file("<f4", "0,", ""));
    write("none.raw", "");
    write("flat.npy", npy_file("<i2", "3, 0, 2", "", true));
    succeed("reduce none.npy -o out.npy");
    expect_single("out.npy", "<f4", -0.0f);
    EXPECT_EQ(succeed("reduce none.npy"), "0\n");
    EXPECT_EQ(succeed("reduce none.npy --op maximum"), "-inf\n");
    EXPECT_EQ(succeed("reduce none.npy --op minimum --init 2.5"), "2.5\n");
    EXPECT_EQ(succeed("reduce flat.npy --op multiplies"), "1\n");
    EXPECT_EQ(succeed("reduce flat.npy --op minimum"), "32767\n");
    EXPECT_EQ(succeed("reduce flat.npy --op bit_and"), "-1\n");
    EXPECT_EQ(succeed("reduce flat.npy --op logical_and"), "1\n");
    EXPECT_EQ(succeed("reduce none.raw --dtype uint8 --op logical_or"), "0\n");
    EXPECT_EQ(succeed("reduce none.raw --dtype int32 --init 7"), "7\n");
    EXPECT_EQ(shell("\"$UPSWEEP\" reduce - --dtype f8 --op minimum --format raw </dev/null").out, "inf\n");
    write("one.npy", npy_file(">i2", "", std::string("\x01\x02", 2)));
    EXPECT_EQ(succeed("reduce one.npy"), "258\n");
    EXPECT_EQ(succeed("reduce one.npy --init -1"), "257\n");
    write("one.npy", npy_file("<f8", "1, 1, 1", bytes_of<double>({-0.0})));
    succeed("reduce one.npy -o out.npy");
    expect_single("out.npy", "<f8", -0.0);
    succeed("reduce one.npy -o out.npy --init 0");
    expect_single("out.npy", "<f8", 0.0);
}

TEST_F(cli_reduce, nan_and_negative_zero) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    write("in.npy", npy_file("<f4", "4,", bytes_of<float>({1, nan, -0.0f, 2})));
    for (const char* op : {"plus", "multiplies", "minimum", "maximum"}) {
        succeed(std::string("reduce in.npy -o out.npy --op ") + op);
        expect_single("out.npy", "<f4", nan);
        EXPECT_EQ(succeed(std::string("reduce in.npy --op ") + op), "nan\n");
    }
    write("in.npy", npy_file("<f4", "3,", bytes_of<float>({0.0f, -0.0f, 0.0f})));
    succeed("reduce in.npy -o out.npy --op minimum");
    expect_single("out.npy", "<f4", -0.0f);
    succeed("reduce in.npy -o out.npy --op maximum");
    expect_single("out.npy", "<f4", 0.0f);
    EXPECT_EQ(succeed("reduce in.npy --op minimum"), "0\n");
    EXPECT_NE(succeed("reduce in.npy --op minimum --json").find(R"("total": -0, )"), std::string::npos)
        << succeed("reduce in.npy --op minimum --json");
}

TEST_F(cli_reduce, totals_as_text) {
    write("f.npy", npy_file("<f4", "2,", bytes_of<float>({0.1f, 0.2f})));
    EXPECT_EQ(succeed("reduce f.npy"), "0.3\n");
    EXPECT_EQ(succeed("reduce f.npy --dtype float64"), "0.30000000447034836\n");
    EXPECT_EQ(succeed("reduce f.npy --dtype float16"), "0.30004883\n");
    write("f.npy", npy_file("<f4", "2,", bytes_of<float>({1e38f, 3e38f})));
    EXPECT_EQ(succeed("reduce f.npy"), "inf\n");
    EXPECT_EQ(succeed("reduce f.npy --op multiplies --init -1"), "-inf\n");
    write("u.npy", npy_file("<u8", "1,", bytes_of<std::uint64_t>({UINT64_MAX})));
    EXPECT_EQ(succeed("reduce u.npy"), "18446744073709551615\n");
    write("c.npy", npy_file("<c8", "2,", bytes_of<float>({1, 2, 0.5f, -4})));
    EXPECT_EQ(succeed("reduce c.npy"), "1.5-2j\n");
    EXPECT_EQ(succeed("reduce c.npy --init 1j"), "1.5-1j\n");
}

// The tree is laid over C order, whatever that of the file.
TEST_F(cli_reduce, any_number_of_dimensions) {
    const std::size_t rows = 70, columns = 130, planes = 3;
    const auto in = numbers_near_one<float>(rows * columns * planes);
    std::vector<float> turned(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t plane = i % planes, column = i / planes % columns, row = i / planes / columns;
        turned[row + rows * (column + columns * plane)] = in[i];
    }
    const float want = folded<float, float>(in);
    ASSERT_FALSE(same_bits(want, folded<float, float>(turned)));
    const std::string shape = "70, 130, 3";
    write("c.npy", npy_file("<f4", shape, bytes_of(in)));
    write("f.npy", npy_file("<f4", shape, bytes_of(turned), true));
    write("big.npy", npy_file(">f4", shape, bytes_of(turned, 4), true));
    for (const char* name : {"c.npy", "f.npy", "big.npy"}) {
        for (const char* blocks : {"", small_blocks}) {
            SCOPED_TRACE(name + std::string(blocks));
            succeed(std::string("reduce ") + name + " -o out.npy", blocks);
            expect_single("out.npy", "<f4", want);
            EXPECT_EQ(shell(std::string("cat ") + name + " | " + blocks + " \"$UPSWEEP\" reduce -").out,
                      succeed("reduce c.npy"));
        }
    }
    EXPECT_EQ(succeed("reduce f.npy --op maximum"), succeed("reduce c.npy --op maximum"));
    EXPECT_NE(succeed("reduce f.npy --json").find(R"("n": 27300, "shape": [70, 130, 3], "axis": null, )"),
              std::string::npos);
}

TEST_F(cli_reduce, what_json_tells) {
    write("x.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
    const std::string json = succeed("reduce x.npy --json --init 4 --threads 2");
    EXPECT_EQ(json.find(R"({"file": "x.npy", "op": "plus", "dtype": "int64", "input_dtype": "int32", )"
                        R"("accumulator": "int64", "n": 3, "shape": [3], "axis": null, "total": 10, )"
                        R"("seconds": )"),
              0u)
        << json;
    EXPECT_NE(json.find(R"("bytes": 20, "bytes_per_second": )"), std::string::npos) << json;
    EXPECT_EQ(json.find('\n'), json.size() - 1);
    const std::string beside = succeed("reduce x.npy --json -o y.npy");
    EXPECT_EQ(beside.find(R"({"file": "x.npy", "output": "y.npy", "op": "plus", )"), 0u) << beside;
    expect_single("y.npy", "<i8", std::int64_t{6});
    write("h.npy", npy_file("<f2", "2,", bytes_of<float16>({float16(1.0f), float16(0.0001f)})));
    // As it is written, in the result's type.
    EXPECT_NE(succeed("reduce h.npy --json")
                  .find(R"("accumulator": "float32", "n": 2, "shape": [2], )"
                        R"("axis": null, "total": 1, )"),
              std::string::npos);
    EXPECT_EQ(succeed("reduce h.npy --dtype float32"), "1.0001\n");
}

TEST_F(cli_reduce, errors_leave_the_old_output_alone) {
    write("x.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
    write("old.npy", "the old output");
    const std::string good = read("x.npy");
    const auto before = files();
    const auto refused = [&](int code, const std::string& arguments, const std::string& part) {
        fail(code, arguments + " -o old.npy", part);
        EXPECT_EQ(read("old.npy"), "the old output") << arguments;
    };
    refused(2, "reduce x.npy --op sum", "--op \"sum\": expected one of plus, multiplies, minimum");
    refused(2, "reduce x.npy --dtype int33", "--dtype \"int33\": expected one of bool, int8");
    refused(2, "reduce x.npy --init one", "--init: \"one\" is not a value of type int64");
    refused(2, "reduce x.npy --axis 1", "--axis 1: x.npy has 1 dimension, so it must be from -1 to 0");
    refused(2, "reduce x.npy --axis one", "--axis one: expected the number of a dimension");
    refused(2, "reduce x.npy --column n", "for .csv and .tsv tables");
    refused(2, "reduce x.npy --count", "--count is for .csv and .tsv tables");
    refused(2, "reduce x.npy --exclusive", "unknown argument: --exclusive (see 'upsweep reduce --help')");
    refused(2, "reduce x.npy --threads 0", "--threads 0: expected a number from 1 to 4096");
    refused(2, "reduce x.npy --accumulate float64 --dtype int32", "do not convert to int32");
    refused(2, "reduce x.npy --input-dtype int8", "--input-dtype is for raw data");
    refused(2, "reduce x.raw", "say it with --dtype or --input-dtype");
    refused(1, "reduce absent.npy", "absent.npy: ");
    fail(2, "reduce x.npy -o t.csv", "not as a table");
    fail(2, "reduce x.npy -o - --json", "name a file for the data with -o");
    fail(2, "reduce x.npy --axis 0 --json", "name a file for the data with -o");
    fail(1, "reduce x.npy -o x.npy", "x.npy: is the input too");
    fail(1, "reduce x.npy -o absent/y.npy", "absent/y.npy: cannot be created: No such file or directory");
    fail(1, "reduce x.npy -o /dev/full", "/dev/full: cannot be written: No space left on device");
    EXPECT_EQ(shell("\"$UPSWEEP\" reduce x.npy >/dev/full").code, 1);
    EXPECT_EQ(shell("\"$UPSWEEP\" reduce x.npy --json >/dev/full").code, 1);
    EXPECT_EQ(files(), before);
    EXPECT_EQ(read("x.npy"), good);
    write("x.npy", good.substr(0, good.size() - 5));
    refused(1, "reduce x.npy", "data is truncated: the header states 12 bytes, 7 are there");
    EXPECT_EQ(shell("cat x.npy | \"$UPSWEEP\" reduce - -o old.npy").code, 1);
    write("x.npy", good + "x");
    EXPECT_EQ(shell("cat x.npy | \"$UPSWEEP\" reduce - -o old.npy").code, 1);
    EXPECT_EQ(read("old.npy"), "the old output");
    EXPECT_EQ(files(), before);
    write("c.npy", npy_file("<c8", "1,", std::string(8, '\0')));
    refused(2, "reduce c.npy --op minimum", "minimum is not defined for complex64");
    write("zero.npy", npy_file("<f8", "", bytes_of<double>({1})));
    refused(2, "reduce zero.npy --axis 0", "--axis 0: zero.npy is a single value and has no dimensions");
}

// More than the blocks in flight, so that memory in use is less than the file.
TEST_F(cli_reduce, files_stream_in_bounded_memory) {
    if (sanitized || emulated) GTEST_SKIP() << "sanitizers and emulators need memory of their own";
    const outcome result = shell(
        "head -c 1500000000 /dev/zero | (ulimit -v 1200000; \"$UPSWEEP\" reduce - --input-dtype uint8 "
        "--format raw --init 1)");
    EXPECT_EQ(result.out, "1\n") << result.words;
    // In Fortran order, which exact operators do not care for.
    write("head", npy_file("|u1", "30000, 50000", "", true));
    const outcome gathered = shell(
        "(cat head; head -c 1500000000 /dev/zero) | (ulimit -v 1200000; \"$UPSWEEP\" reduce - --op minimum)");
    EXPECT_EQ(gathered.out, "0\n") << gathered.words;
}

}  // namespace
}  // namespace upsweep::test
