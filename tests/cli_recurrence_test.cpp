// `upsweep recurrence` on .npy and raw files: types, byte orders, axes, coefficients beside the elements,
// smoothing, blocks, pipes. Expected bits come from the scalar reference.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/recurrence_reference.hpp"
#include "support/small_numbers.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {
namespace {

// Below 1, for coefficients too.
template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed = 7) {
    return small_numbers<T>(n, seed, 101);
}

class cli_recurrence : public cli_test {
  protected:
    template <class T>
    void write_npy(const std::string& name, const std::string& descr, const std::vector<T>& elements,
                   std::string shape = "", bool fortran = false) const {
        if (shape.empty()) shape = std::to_string(elements.size()) + ",";
        write(name, npy_file(descr, shape, bytes_of(elements), fortran));
    }
    template <class T>
    void expect_npy(const std::string& name, const std::string& descr, const std::vector<T>& want) const {
        const std::string file = read(name);
        EXPECT_NE(npy_header(file).find("'" + descr + "'"), std::string::npos) << npy_header(file);
        expect_elements(npy_data(file), want);
    }
    template <class T>
    void expect_elements(const std::string& bytes, const std::vector<T>& want) const {
        const std::vector<T> got = elements_of<T>(bytes);
        ASSERT_EQ(got.size(), want.size());
        const std::size_t at = first_difference(got.data(), want.data(), got.size());
        if (at != got.size())
            FAIL() << "at " << at << ": " << describe(got[at]) << " instead of " << describe(want[at]);
    }

    // A sequence in both byte orders, from the file and through a pipe.
    template <class In, class Acc, class Out>
    void check_type(const std::string& code, const std::string& result) {
        SCOPED_TRACE(code);
        const std::size_t n = 5001;
        const auto in = numbers<In>(n);
        const char* little = sizeof(In) == 1 ? "|" : "<";
        write_npy("little.npy", little + code, in);
        write("big.npy", npy_file((sizeof(In) == 1 ? "|" : ">") + code, "5001,", bytes_of(in, sizeof(In))));
        succeed("recurrence little.npy -o out.npy --coefficient 0.9 --init 0.1");
        expect_npy("out.npy", result, recurred_by<Acc, Out>(Acc(0.9L), in, Acc(0.1L)));
        succeed("recurrence big.npy -o out.npy --coefficient -0.7 --reverse");
        expect_npy("out.npy", result, recurred_by<Acc, Out>(Acc(-0.7L), in, Acc(0), true));
        if (sanitized) return;
        const auto want = smoothed<Acc, Out>(Acc(0.1L), in);
        succeed("recurrence big.npy -o out.npy --smooth 0.1");
        expect_npy("out.npy", result, want);
        expect_elements(npy_data(shell("cat little.npy | \"$UPSWEEP\" recurrence - --smooth 0.1 | cat").out),
                        want);
    }
};

TEST_F(cli_recurrence, floats_keep_their_type) {
    check_type<float16, float, float16>("f2", "<f2");
    check_type<float, float, float>("f4", "<f4");
    check_type<double, double, double>("f8", "<f8");
    const std::vector<bfloat16> half = numbers<bfloat16>(300);
    write("half.raw", bytes_of(half));
    succeed("recurrence half.raw --dtype bfloat16 --coefficient 0.5 -o out.raw");
    expect_elements(read("out.raw"), recurred_by<float, bfloat16>(0.5f, half, 0));
}
TEST_F(cli_recurrence, integers_give_float64) {
    check_type<std::int8_t, double, double>("i1", "<f8");
    check_type<std::uint8_t, double, double>("u1", "<f8");
    check_type<std::int16_t, double, double>("i2", "<f8");
    check_type<std::uint16_t, double, double>("u2", "<f8");
    check_type<std::int32_t, double, double>("i4", "<f8");
    check_type<std::uint32_t, double, double>("u4", "<f8");
    check_type<std::int64_t, double, double>("i8", "<f8");
    check_type<std::uint64_t, double, double>("u8", "<f8");
    write("b.npy", npy_file("|b1", "4,", std::string("\1\0\7\1", 4)));
    succeed("recurrence b.npy -o out.npy --coefficient 2");
    expect_npy<double>("out.npy", "<f8", {1, 2, 5, 11});
}

TEST_F(cli_recurrence, types_that_are_named) {
    const auto in = numbers<float>(4000);
    write_npy("in.npy", "<f4", in);
    succeed("recurrence in.npy -o out.npy --coefficient 0.9 --dtype float64");
    expect_npy("out.npy", "<f8", recurred_by<double, double>(0.9, in, 0));
    succeed("recurrence in.npy -o out.npy --coefficient 0.9 --accumulate float64");
    expect_npy("out.npy", "<f4", recurred_by<double, float>(0.9, in, 0));
    succeed("recurrence in.npy -o out.npy --coefficient 0.9 --dtype float16");
    expect_npy("out.npy", "<f2", recurred_by<float, float16>(0.9f, in, 0));
    write("in.raw", bytes_of<std::int16_t>({4, 2, 8}));
    succeed("recurrence in.raw --input-dtype int16 --coefficient 0.5 -o out.raw");
    expect_elements<double>(read("out.raw"), {4, 4, 10});
    succeed("recurrence in.raw --input-dtype int16 --coefficient 0.5 --dtype float32 -o out.raw");
    expect_elements<float>(read("out.raw"), {4, 4, 10});
}

// Blocks are whole supers, whatever is asked for; between them goes what was computed, not what was stored.
TEST_F(cli_recurrence, lengths_around_blocks) {
    for (const std::size_t n : {0u, 1u, 3u, 127u, 4095u, 4096u, 4097u, 131071u, 131072u, 131073u, 270001u}) {
        SCOPED_TRACE(n);
        if (sanitized && n % 4096 != 1 && n > 3) continue;
        const auto in = numbers<float>(n);
        const auto a = numbers<float16>(n, 11);
        write_npy("in.npy", "<f4", in);
        write_npy("a.npy", "<f2", a);
        for (const bool reverse : {false, true}) {
            const std::string flag = reverse ? " --reverse" : "";
            succeed("recurrence in.npy -o out.npy --dtype float16 --coefficient 0.999" + flag,
                    "UPSWEEP_BLOCK_BYTES=100000");
            expect_npy("out.npy", "<f2", recurred_by<float, float16>(0.999f, in, 0, reverse));
            succeed("recurrence in.npy -o out.npy --coefficients a.npy --init -3" + flag,
                    "UPSWEEP_BLOCK_BYTES=100000");
            expect_npy(
                "out.npy", "<f4",
                recurred<float>(as_accumulators<float>(a), as_accumulators<float>(in), -3.0f, reverse));
            succeed("recurrence in.npy -o out.npy --smooth 0.01" + flag, "UPSWEEP_BLOCK_BYTES=100000");
            expect_npy("out.npy", "<f4", smoothed<float, float>(0.01f, in, reverse));
        }
    }
}

TEST_F(cli_recurrence, the_bits_of_the_library) {
    const std::size_t n = 300000;
    const auto in = numbers<float>(n);
    const auto a = numbers<float>(n, 3);
    write_npy("in.npy", "<f4", in);
    write_npy("a.npy", "<f4", a);
    std::vector<float> want(n);
    cpu::executor executor(2);
    linear_recurrence(executor, a, in, 0.5f, want);
    for (const char* how : {" --threads 1", " --threads 3", ""}) {
        for (const char* level : {"", "UPSWEEP_SIMD=portable", "UPSWEEP_BLOCK_BYTES=1"}) {
            if (sanitized && *level != 'U') continue;
            succeed("recurrence in.npy --coefficients a.npy --init 0.5 -o out.npy" + std::string(how), level);
            expect_npy("out.npy", "<f4", want);
            succeed("recurrence in.npy --smooth 0.25 -o smooth.npy" + std::string(how), level);
            if (!exists("first.npy")) write("first.npy", read("smooth.npy"));
            EXPECT_EQ(shell("cmp smooth.npy first.npy").code, 0) << how << level;
        }
    }
    expect_npy("first.npy", "<f4", smoothed<float, float>(0.25f, in));
}

TEST_F(cli_recurrence, coefficients_of_other_types) {
    const auto in = numbers<float>(1000);
    write_npy("in.npy", "<f4", in);
    const auto wide = numbers<double>(1000, 5);
    write_npy("a.npy", "<f8", wide);
    succeed("recurrence in.npy --coefficients a.npy -o out.npy");
    expect_npy("out.npy", "<f4", recurred<float>(wide, as_accumulators<double>(in), 0.0));
    succeed("recurrence in.npy --coefficients a.npy -o out.npy --accumulate float32");
    expect_npy("out.npy", "<f4", recurred<float>(as_accumulators<float>(wide), in, 0.0f));
    write("big.npy", npy_file(">i2", "4,", std::string("\0\1\0\0\377\377\0\2", 8)));
    write_npy<float>("four.npy", "<f4", {5, 6, 7, 8});
    succeed("recurrence four.npy --coefficients big.npy -o out.npy --init 100");
    expect_npy<float>("out.npy", "<f4", {105, 6, 1, 10});
    // Raw ones are as the elements are.
    write("a.raw", bytes_of<float>({1, 0, -1, 2}));
    succeed("recurrence four.npy --coefficients a.raw -o out.npy --init 100");
    expect_npy<float>("out.npy", "<f4", {105, 6, 1, 10});
    write("x.raw", bytes_of<float>({5, 6, 7, 8}, 4));
    write("b.raw", bytes_of<float>({1, 0, -1, 2}, 4));
    succeed("recurrence x.raw --input-dtype '>f4' --coefficients b.raw -o out.raw --init 100");
    expect_elements<float>(read("out.raw"), {105, 6, 1, 10});
}

// Either of the two, but not both, may be a pipe.
TEST_F(cli_recurrence, pipes) {
    const std::size_t n = sanitized ? 140000 : 300000;
    const auto in = numbers<float>(n);
    const auto a = numbers<float>(n, 9);
    write_npy("in.npy", "<f4", in);
    write_npy("a.npy", "<f4", a);
    write("in.raw", bytes_of(in));
    write("a.raw", bytes_of(a));
    const auto want = recurred<float>(a, in, 0.0f);
    const auto out = [&](const std::string& script) {
        const outcome result = shell(script);
        EXPECT_EQ(result.code, 0) << script << "\n" << result.words;
        return result.out;
    };
    expect_elements(npy_data(out("cat in.npy | \"$UPSWEEP\" recurrence - --coefficients a.npy | cat")), want);
    expect_elements(npy_data(out("cat a.npy | \"$UPSWEEP\" recurrence in.npy --coefficients - | cat")), want);
    expect_elements(out("cat in.raw | \"$UPSWEEP\" recurrence - --dtype float32 --format raw --coefficients "
                        "a.raw | cat"),
                    want);
    expect_elements(out("cat a.raw | \"$UPSWEEP\" recurrence in.raw --dtype float32 --coefficients - | cat"),
                    want);
    const auto backwards = recurred<float>(a, in, 0.0f, true);
    for (const char* script : {"cat in.npy | \"$UPSWEEP\" recurrence - --reverse --coefficients a.npy | cat",
                               "cat a.npy | \"$UPSWEEP\" recurrence in.npy --reverse --coefficients - | cat",
                               "\"$UPSWEEP\" recurrence in.npy --reverse --coefficients a.npy | cat"})
        expect_elements(npy_data(out(script)), backwards);
    // What ends too soon or too late is seen where neither tells how long it is.
    for (const char* less : {"head -c 40 in.raw", "head -c 800000 in.raw; head -c 800000 in.raw"}) {
        const outcome result = shell("{ " + std::string(less) +
                                     "; } | \"$UPSWEEP\" recurrence - --format raw --dtype float32 "
                                     "--coefficients a.raw -o out.raw");
        EXPECT_EQ(result.code, 1);
        EXPECT_NE(result.words.find("a.raw: "), std::string::npos) << result.words;
        EXPECT_NE(result.words.find("coefficients than standard input has elements"), std::string::npos)
            << result.words;
        EXPECT_FALSE(exists("out.raw"));
    }
}

// Every sequence by itself, in C and in Fortran order, in slabs of any size.
TEST_F(cli_recurrence, any_axis_of_any_order) {
    std::size_t turn = 0;
    for (const auto& extents :
         {std::vector<std::size_t>{6, 700}, {700, 6}, {3, 40, 50}, {2, 9000}, {4, 0, 3}, {2, 3, 4, 5}}) {
        std::string shape;
        std::size_t n = 1;
        for (const std::size_t extent : extents) {
            shape += std::to_string(extent) + ", ";
            n *= extent;
        }
        const auto in = numbers<float>(n);
        const auto a = numbers<float>(n, 2);
        for (const bool fortran : {false, true}) {
            write_npy("in.npy", "<f4", in, shape, fortran);
            write_npy("a.npy", "<f4", a, shape, fortran);
            for (std::size_t axis = 0; axis < extents.size(); ++axis) {
                ++turn;
                if (sanitized && turn % 3 != 0) continue;
                std::size_t stride = 1;
                if (fortran)
                    for (std::size_t k = 0; k < axis; ++k) stride *= extents[k];
                else
                    for (std::size_t k = axis + 1; k < extents.size(); ++k) stride *= extents[k];
                const bool reverse = turn % 2 != 0;
                std::vector<float> want(n), smooth(n);
                for (std::size_t first = 0; first < n; ++first) {
                    if (first / stride % extents[axis] != 0) continue;
                    std::vector<float> some_a, some;
                    for (std::size_t i = 0; i < extents[axis]; ++i) {
                        some_a.push_back(a[first + i * stride]);
                        some.push_back(in[first + i * stride]);
                    }
                    const auto one = recurred<float>(some_a, some, 2.0f, reverse);
                    const auto other = smoothed<float, float>(0.3f, some, reverse);
                    for (std::size_t i = 0; i < extents[axis]; ++i) {
                        want[first + i * stride] = one[i];
                        smooth[first + i * stride] = other[i];
                    }
                }
                const std::string how = " --axis " + std::to_string(axis) + (reverse ? " --reverse" : "");
                for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=100"}) {
                    SCOPED_TRACE(shape + how + (fortran ? " fortran " : " ") + blocks);
                    succeed("recurrence in.npy -o out.npy --coefficients a.npy --init 2" + how, blocks);
                    expect_npy("out.npy", "<f4", want);
                    succeed("recurrence in.npy -o out.npy --smooth 0.3" + how, blocks);
                    expect_npy("out.npy", "<f4", smooth);
                }
            }
        }
    }
}

// What is no number goes on to the elements behind it, and a coefficient of 0 does not stop it.
TEST_F(cli_recurrence, what_is_not_finite) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    write_npy<float>("in.npy", "<f4", {1, inf, 2, nan, 3});
    succeed("recurrence in.npy -o out.npy --coefficient 0.5");
    expect_npy<float>("out.npy", "<f4", {1, inf, inf, nan, nan});
    write_npy<float>("in.npy", "<f4", {1, 2, 3});
    succeed("recurrence in.npy -o out.npy --coefficient nan");
    expect_npy<float>("out.npy", "<f4", {nan, nan, nan});
    succeed("recurrence in.npy -o out.npy --coefficient inf --init 1");
    expect_npy<float>("out.npy", "<f4", {inf, inf, inf});
    succeed("recurrence in.npy -o out.npy --smooth 1");
    expect_npy<float>("out.npy", "<f4", {1, 2, 3});
}

TEST_F(cli_recurrence, what_json_tells) {
    write_npy<float>("in.npy", "<f4", {4, 2, 8});
    write_npy<float>("a.npy", "<f4", {1, 0.5f, 2});
    const auto has = [&](const std::string& arguments, const std::vector<std::string>& parts) {
        const std::string json = succeed("recurrence in.npy -o out.npy --json --threads 2 " + arguments);
        for (const std::string& part : parts)
            EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    };
    has("--coefficient 0.5",
        {R"("file": "in.npy", "output": "out.npy", "coefficient": 0.5, "reverse": false)",
         R"("dtype": "float32")", R"("accumulator": "float32")", R"("n": 3)", R"("shape": [3])",
         R"("axis": null)", R"("last": 10)", R"("bytes": 24)", R"("device": "cpu")", R"("threads": 2)"});
    has("--coefficients a.npy --reverse",
        {R"("coefficients": "a.npy", "reverse": true)", R"("last": 10)", R"("bytes": 36)"});
    has("--smooth 0.5", {R"("smooth": 0.5)", R"("last": 5.5)"});
    write_npy<float>("in.npy", "<f4", {});
    has("--smooth 0.5", {R"("last": 0)"});
    has("--coefficient 1 --init 7", {R"("last": 7)"});
}

// More than the blocks in flight, so that memory in use is less than the file.
TEST_F(cli_recurrence, files_stream_in_bounded_memory) {
    if (sanitized) GTEST_SKIP() << "sanitizers need memory of their own";
    const outcome result = stream_zeros(
        60'000'000, 400'000, "recurrence in.raw --input-dtype uint8 --coefficients in.raw --threads 2", "f8");
    EXPECT_EQ(result.code, 0) << result.words;
    EXPECT_EQ(result.out, "480000000\n                        0\n");
}

}  // namespace
}  // namespace upsweep::test
