// `upsweep compact` and `upsweep partition` of arrays: types, byte orders, memory orders, blocks, pipes. What
// is expected comes from a loop over the elements.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/build.hpp"
#include "support/cli.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {
namespace {

// Small numbers of both signs, and for floats every bit pattern now and then.
template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed = 7) {
    std::mt19937 random(seed);
    std::vector<T> made(n);
    for (std::size_t i = 0; i < n; ++i) {
        const int small = static_cast<int>(random() % 21) - 10;
        if constexpr (is_complex<T>) {
            made[i] = T(static_cast<typename T::value_type>(small / 5),
                        static_cast<typename T::value_type>(small % 2));
        } else if constexpr (std::is_integral_v<T>) {
            made[i] = static_cast<T>(small);
        } else {
            made[i] = T(static_cast<float>(small) / 2);
            if (random() % 16 == 0) {
                std::uint64_t bits = random();
                bits = bits << 32 | random();
                std::memcpy(static_cast<void*>(&made[i]), &bits, sizeof(T));
            }
            if (random() % 64 == 0) made[i] = T(std::numeric_limits<float>::quiet_NaN());
        }
    }
    return made;
}

template <class T>
struct parts {
    std::vector<T> chosen, others;
    std::vector<std::int64_t> chosen_indices, other_indices;

    [[nodiscard]] std::string kept() const { return bytes_of(chosen); }
    [[nodiscard]] std::string all() const { return bytes_of(chosen) + bytes_of(others); }
    [[nodiscard]] std::string kept_indices() const { return bytes_of(chosen_indices); }
    [[nodiscard]] std::string all_indices() const {
        return bytes_of(chosen_indices) + bytes_of(other_indices);
    }
};
template <class T, class Holds>
parts<T> parted(const std::vector<T>& in, const Holds& holds) {
    parts<T> made;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool chosen = holds(in[i]);
        (chosen ? made.chosen : made.others).push_back(in[i]);
        (chosen ? made.chosen_indices : made.other_indices).push_back(static_cast<std::int64_t>(i));
    }
    return made;
}

class cli_compact : public cli_test {
  protected:
    // Both commands, elements and indices, both byte orders, one block and many.
    template <class T, class Holds>
    void check_type(const std::vector<T>& in, const std::string& code, const std::string& where,
                    const Holds& holds, std::size_t word = sizeof(T)) {
        SCOPED_TRACE(code);
        const std::size_t n = in.size();
        const parts<T> want = parted(in, holds);
        ASSERT_FALSE(want.chosen.empty());
        ASSERT_FALSE(want.others.empty());
        const std::string descr = (word == 1 ? "|" : "<") + code;
        const std::string shape = std::to_string(n) + ",";
        write("little.npy", npy_file(descr, shape, bytes_of(in)));
        write("big.npy", npy_file((word == 1 ? "|" : ">") + code, shape, bytes_of(in, word)));
        for (const char* file : {"little.npy ", "big.npy "}) {
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=3000"}) {
                if (sanitized && (*file == 'b') == (*blocks == '\0')) continue;  // one of them, in turn
                SCOPED_TRACE(std::string(file) + blocks);
                succeed("compact " + (file + where) + " -o out.npy", blocks);
                expect_npy(read("out.npy"), descr, want.kept(), sizeof(T));
                succeed("partition " + (file + where) + " -o out.npy", blocks);
                expect_npy(read("out.npy"), descr, want.all(), sizeof(T));
            }
            // Indices know nothing of the elements' type.
            if (sanitized && (*file == 'b' || sizeof(T) != 4)) continue;
            succeed("compact " + (file + where) + " --indices -o out.npy", "UPSWEEP_BLOCK_BYTES=3000");
            expect_npy(read("out.npy"), "<i8", want.kept_indices(), 8);
            succeed("partition " + (file + where) + " --indices -o out.npy", "UPSWEEP_BLOCK_BYTES=3000");
            expect_npy(read("out.npy"), "<i8", want.all_indices(), 8);
        }
    }
    template <class T>
    void check_numbers(const std::string& code) {
        check_type(numbers<T>(10000), code, "--where 'x >= 1' --where 'x<5' --where 'x != 3'",
                   [](const T& x) {
                       if constexpr (is_half<T>)
                           return static_cast<float>(x) >= 1 && static_cast<float>(x) < 5 &&
                                  static_cast<float>(x) != 3;
                       else
                           return x >= T(1) && x < T(5) && x != T(3);
                   });
    }
};

TEST_F(cli_compact, integers) {
    check_numbers<std::int8_t>("i1");
    check_numbers<std::uint8_t>("u1");
    check_numbers<std::int16_t>("i2");
    check_numbers<std::uint16_t>("u2");
    check_numbers<std::int32_t>("i4");
    check_numbers<std::uint32_t>("u4");
    check_numbers<std::int64_t>("i8");
    check_numbers<std::uint64_t>("u8");
}
TEST_F(cli_compact, reals_keep_their_bits) {
    check_numbers<float16>("f2");
    check_numbers<float>("f4");
    check_numbers<double>("f8");
}
TEST_F(cli_compact, truth_values_and_complex_numbers) {
    auto truth = numbers<std::uint8_t>(10000);
    for (std::uint8_t& byte : truth) byte %= 2;
    check_type(truth, "b1", "--where 'x == true'", [](std::uint8_t x) { return x == 1; });
    using complex = std::complex<float>;
    check_type(
        numbers<complex>(10000), "c8", "--where 'x == 1+1j'",
        [](const complex& x) { return x == complex(1, 1); }, 4);
    using wide = std::complex<double>;
    check_type(
        numbers<wide>(10000), "c16", "--where 'x != 0'", [](const wide& x) { return x != wide(0); }, 8);
}

// Literals, as NumPy gives them.
TEST_F(cli_compact, known_results) {
    write("in.npy", npy_file("<i4", "6,", bytes_of<std::int32_t>({6, -3, 5, 5, -9, 12})));
    const auto result = [&](const std::string& arguments) {
        succeed(arguments + " -o out.npy");
        return npy_data(read("out.npy"));
    };
    EXPECT_EQ(result("compact in.npy --where 'x < 5'"), bytes_of<std::int32_t>({-3, -9}));
    EXPECT_EQ(result("compact in.npy --where 'x <= 5'"), bytes_of<std::int32_t>({-3, 5, 5, -9}));
    EXPECT_EQ(result("compact in.npy --where 'x == 5'"), bytes_of<std::int32_t>({5, 5}));
    EXPECT_EQ(result("compact in.npy --where 'x != 5'"), bytes_of<std::int32_t>({6, -3, -9, 12}));
    EXPECT_EQ(result("compact in.npy --where 'x >= 6'"), bytes_of<std::int32_t>({6, 12}));
    EXPECT_EQ(result("compact in.npy --where 'x > 6'"), bytes_of<std::int32_t>({12}));
    EXPECT_EQ(result("compact in.npy --where '\t x>-4  ' --where '\"x\" < 6'"),
              bytes_of<std::int32_t>({-3, 5, 5}));
    EXPECT_EQ(result("compact in.npy --where 'x < 3000000000'"), npy_data(read("in.npy")));
    EXPECT_EQ(result("compact in.npy --where 'x < -99999999999999999999'"), "");
    EXPECT_EQ(result("partition in.npy --pivot 5"), bytes_of<std::int32_t>({-3, -9, 6, 5, 5, 12}));
    EXPECT_EQ(result("partition in.npy --pivot -3"), bytes_of<std::int32_t>({-9, 6, -3, 5, 5, 12}));
    EXPECT_EQ(result("partition in.npy --pivot 5 --indices"), bytes_of<std::int64_t>({1, 4, 0, 2, 3, 5}));
    write("u.npy", npy_file("|u1", "4,", bytes_of<std::uint8_t>({0, 9, 200, 255})));
    EXPECT_EQ(result("compact u.npy --where 'x < 300'"), bytes_of<std::uint8_t>({0, 9, 200, 255}));
    EXPECT_EQ(result("compact u.npy --where 'x > -1' --where 'x != 9'"),
              bytes_of<std::uint8_t>({0, 200, 255}));
}

TEST_F(cli_compact, nan_and_infinity) {
    const double nan = std::nan("");
    const double inf = std::numeric_limits<double>::infinity();
    write("in.npy", npy_file("<f8", "6,", bytes_of<double>({1, nan, -inf, inf, -0.0, 5})));
    const auto indices = [&](const std::string& arguments) {
        succeed(arguments + " --indices -o out.npy");
        return elements_of<std::int64_t>(npy_data(read("out.npy")));
    };
    using list = std::vector<std::int64_t>;
    EXPECT_EQ(indices("compact in.npy --where 'x == nan'"), (list{}));
    EXPECT_EQ(indices("compact in.npy --where 'x != nan'"), (list{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(indices("compact in.npy --where 'x <= -inf'"), (list{2}));
    EXPECT_EQ(indices("compact in.npy --where 'x < inf'"), (list{0, 2, 4, 5}));
    EXPECT_EQ(indices("compact in.npy --where 'x < 1e999'"), (list{0, 2, 4, 5}));
    EXPECT_EQ(indices("compact in.npy --where 'x >= 1e999'"), (list{3}));
    EXPECT_EQ(indices("compact in.npy --where 'x == 0'"), (list{4}));
    EXPECT_EQ(indices("partition in.npy --pivot 1"), (list{2, 4, 0, 1, 3, 5}));
    EXPECT_EQ(indices("partition in.npy --pivot=-inf"), (list{0, 1, 2, 3, 4, 5}));
}

TEST_F(cli_compact, lengths_around_blocks) {
    // 300 bytes hold 75 elements, and 16 blocks of them what waits in memory.
    for (const std::size_t n : {0, 1, 2, 74, 75, 76, 149, 150, 151, 1199, 1200, 1201, 2400, 9000}) {
        if (sanitized && (n == 2 || n / 75 == 2 || n == 149)) continue;  // as one block, and one element
        SCOPED_TRACE(n);
        const auto in = numbers<float>(n, static_cast<unsigned>(n));
        const parts<float> want = parted(in, [](float x) { return x < 1; });
        write("in.npy", npy_file("<f4", std::to_string(n) + ",", bytes_of(in)));
        const char* blocks = "UPSWEEP_BLOCK_BYTES=300";
        succeed("compact in.npy --where 'x < 1' -o out.npy", blocks);
        expect_npy(read("out.npy"), "<f4", want.kept(), 4);
        succeed("partition in.npy --pivot 1 -o out.npy", blocks);
        expect_npy(read("out.npy"), "<f4", want.all(), 4);
        succeed("partition in.npy --pivot 1 --indices -o out.npy --threads 1", blocks);
        expect_npy(read("out.npy"), "<i8", want.all_indices(), 8);
        std::size_t turn = n;
        for (const char* all : {"'x < inf'", "'x != nan'", "'x == nan'"}) {
            if (sanitized && turn++ % 3 != 0) continue;
            succeed(std::string("partition in.npy -o out.npy --where ") + all, blocks);
            EXPECT_EQ(npy_data(read("out.npy")).size(), 4 * n);
        }
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"in.npy", "out.npy"}));
}

// In C order, whatever the order in the file.
TEST_F(cli_compact, several_dimensions_are_flattened_in_c_order) {
    bool small_blocks = false;
    std::size_t turn = 0;
    for (const auto& extents : {std::vector<std::size_t>{},
                                {1, 500, 1},
                                {6, 70},
                                {70, 6},
                                {3, 40, 5},
                                {2, 1, 300},
                                {4, 0, 3},
                                {2, 3, 4, 5}}) {
        std::string shape;
        std::size_t n = 1;
        for (const std::size_t extent : extents) {
            shape += std::to_string(extent) + ", ";
            n *= extent;
        }
        const auto in = numbers<std::int16_t>(n);
        std::vector<std::int16_t> fortran(n);  // where element i in C order stands there
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t rest = i;
            std::size_t place = 0;
            for (std::size_t k = extents.size(); k-- > 0;) {
                std::size_t stride = 1;
                for (std::size_t j = 0; j < k; ++j) stride *= extents[j];
                place += rest % extents[k] * stride;
                rest /= extents[k];
            }
            fortran[place] = in[i];
        }
        const auto want = parted(in, [](std::int16_t x) { return x < 2; });
        write("c.npy", npy_file("<i2", shape, bytes_of(in)));
        write("f.npy", npy_file("<i2", shape, bytes_of(fortran), true));
        write("big.npy", npy_file(">i2", shape, bytes_of(fortran, 2), true));
        for (const char* file : {"c.npy", "f.npy", "big.npy"}) {
            if (sanitized && turn++ % 2 != 0) continue;
            small_blocks = !small_blocks;
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=50"}) {
                if (sanitized && small_blocks == (*blocks == '\0')) continue;  // one of them, in turn
                SCOPED_TRACE(shape + file + blocks);
                const std::string name(file);
                succeed("compact " + name + " --where 'x < 2' -o out.npy", blocks);
                expect_npy(read("out.npy"), "<i2", want.kept(), 2);
                succeed("partition " + name + " --pivot 2 -o out.npy", blocks);
                expect_npy(read("out.npy"), "<i2", want.all(), 2);
                succeed("compact " + name + " --where 'x < 2' --indices -o out.npy", blocks);
                expect_npy(read("out.npy"), "<i8", want.kept_indices(), 8);
                expect_npy(
                    shell("cat " + name + " | " + blocks + " \"$UPSWEEP\" partition - --pivot 2 | cat").out,
                    "<i2", want.all(), 2);
            }
        }
    }
    const auto truth = bytes_of<std::uint8_t>({1, 0, 1, 0, 0, 1});
    write("f.npy", npy_file("|b1", "2, 3", truth, true));
    succeed("compact f.npy --where 'x == 1' --indices -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({0, 1, 5}));
    for (const std::size_t size : {1, 4, 8, 16}) {
        const std::string code = size == 16 ? "<c16" : "<f" + std::to_string(size);
        write("f.npy", npy_file(size == 1 ? "|u1" : code, "3, 2", std::string(6 * size, '\0'), true));
        succeed("compact f.npy --where 'x == 0' -o out.npy");
        EXPECT_EQ(npy_data(read("out.npy")), std::string(6 * size, '\0'));
    }
}

TEST_F(cli_compact, versions_of_the_header) {
    const std::string data = bytes_of<std::int32_t>({3, 1, 2});
    std::string dictionary = "{'shape':(3,),'descr':'<i4','fortran_order':False}\n";
    for (const char version : {'\1', '\2', '\3'}) {
        std::string file = std::string("\x93NUMPY") + version + '\0';
        file += static_cast<char>(dictionary.size());
        file += std::string(version == '\1' ? 1 : 3, '\0');
        write("in.npy", file + dictionary + data);
        succeed("compact in.npy --where 'x > 1' -o out.npy");
        expect_npy(read("out.npy"), "<i4", bytes_of<std::int32_t>({3, 2}), 4);
    }
}

TEST_F(cli_compact, raw_files_and_pipes) {
    const auto in = numbers<std::int16_t>(10000);
    const auto want = parted(in, [](std::int16_t x) { return x > 3; });
    write("in.raw", bytes_of(in));
    write("big.bin", bytes_of(in, 2));
    write("in.npy", npy_file("<i2", "10000,", bytes_of(in)));
    succeed("compact in.raw --dtype int16 --where 'x > 3' -o out.raw");
    EXPECT_EQ(read("out.raw"), want.kept());
    succeed("partition big.bin --dtype '>i2' --where 'x > 3' -o out.raw");
    EXPECT_EQ(read("out.raw"), want.all());
    succeed("partition in.raw --dtype int16 --where 'x > 3' -o out.npy");
    expect_npy(read("out.npy"), "<i2", want.all(), 2);
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=100 "}) {
        SCOPED_TRACE(blocks);
        const std::string tool = std::string(blocks) + "\"$UPSWEEP\" ";
        EXPECT_EQ(shell("cat in.raw | " + tool + "compact - --dtype i2 --where 'x > 3' | cat").out,
                  want.kept());
        EXPECT_EQ(shell("cat in.raw | " + tool + "partition - --dtype i2 --where 'x > 3' | cat").out,
                  want.all());
        EXPECT_EQ(shell("cat in.raw | " + tool + "compact - --dtype i2 --where 'x > 3' --indices").out,
                  want.kept_indices());
        EXPECT_EQ(shell(tool + "compact - --format raw --dtype i2 --where 'x > 3' < in.raw").out,
                  want.kept());
        // The header of these comes before what is not known yet.
        for (const std::string& ways : {std::string("cat in.npy | "), std::string()}) {
            const std::string input = ways.empty() ? "in.npy" : "-";
            expect_npy(shell(ways + tool + "compact " + input + " --where 'x > 3' | cat").out, "<i2",
                       want.kept(), 2);
            expect_npy(shell(ways + tool + "partition " + input + " --where 'x > 3' --indices | cat").out,
                       "<i8", want.all_indices(), 8);
        }
        EXPECT_EQ(shell("cat in.raw | " + tool + "partition - --dtype i2 --where 'x > 3' -o piped.npy").code,
                  0);
        expect_npy(read("piped.npy"), "<i2", want.all(), 2);
        EXPECT_EQ(shell("mkfifo pipe.npy; cat pipe.npy > got.npy & cat in.raw | " + tool +
                        "partition - --dtype i2 --where 'x > 3' -o pipe.npy; wait; rm pipe.npy")
                      .code,
                  0);
        expect_npy(read("got.npy"), "<i2", want.all(), 2);
    }
    write("half.raw", bytes_of<bfloat16>({bfloat16(1.0f), bfloat16(2.5f), bfloat16(0.125f)}));
    succeed("compact half.raw --dtype bfloat16 --where 'x < 2.5' -o out.raw");
    EXPECT_EQ(read("out.raw"), bytes_of<bfloat16>({bfloat16(1.0f), bfloat16(0.125f)}));
    fail(1, "compact half.raw --dtype bfloat16 --where 'x < 2.5' -o half.npy", "has no bfloat16");
    succeed("compact half.raw --dtype bfloat16 --where 'x < 2.5' --indices -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({0, 2}));
}

// Results that wait, because there are none that are chosen, and are more than the memory there is.
TEST_F(cli_compact, files_stream_in_bounded_memory) {
    if (sanitized) GTEST_SKIP() << "sanitizers need memory of their own";
    const outcome result =
        stream_zeros(60'000'000, emulated ? 650'000 : 400'000,
                     "partition in.raw --dtype uint8 --where 'x != 0' --indices --threads 2", "d8");
    EXPECT_EQ(result.code, 0) << result.words;
    EXPECT_EQ(result.out, "480000000\n             59999999\n");
}

TEST_F(cli_compact, every_simd_level_gives_the_same_bytes) {
    write("f.npy", npy_file("<f4", "20000,", bytes_of(numbers<float>(20000))));
    succeed("partition f.npy --where 'x > 1' --where 'x < 4' -o a.npy");
    succeed("partition f.npy --where 'x > 1' --where 'x < 4' -o b.npy --threads 1", "UPSWEEP_SIMD=portable");
    EXPECT_EQ(read("a.npy"), read("b.npy"));
}

}  // namespace
}  // namespace upsweep::test
