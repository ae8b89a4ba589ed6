// `upsweep compact` and `upsweep partition`: types, byte orders, memory orders, blocks, pipes, tables,
// conditions, errors. What is expected comes from a loop over the elements.
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
    // A .npy file with one dimension.
    void expect_npy(const std::string& file, const std::string& descr, const std::string& data,
                    std::size_t element_bytes) const {
        EXPECT_EQ(npy_header(file), "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                        std::to_string(data.size() / element_bytes) + ",), }");
        EXPECT_EQ((file.size() - npy_data(file).size()) % 64, 0u);
        EXPECT_TRUE(npy_data(file) == data) << npy_data(file).size() << " and " << data.size() << " bytes";
    }

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
                SCOPED_TRACE(std::string(file) + blocks);
                succeed("compact " + (file + where) + " -o out.npy", blocks);
                expect_npy(read("out.npy"), descr, want.kept(), sizeof(T));
                succeed("partition " + (file + where) + " -o out.npy", blocks);
                expect_npy(read("out.npy"), descr, want.all(), sizeof(T));
            }
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
        for (const char* all : {"'x < inf'", "'x != nan'", "'x == nan'"}) {
            succeed(std::string("partition in.npy -o out.npy --where ") + all, blocks);
            EXPECT_EQ(npy_data(read("out.npy")).size(), 4 * n);
        }
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"in.npy", "out.npy"}));
}

// In C order, whatever the order in the file.
TEST_F(cli_compact, several_dimensions_are_flattened_in_c_order) {
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
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=50"}) {
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
    const outcome result = shell(
        "head -c 60000000 /dev/zero > in.raw && ulimit -v 400000 && UPSWEEP_BLOCK_BYTES=100000 "
        "\"$UPSWEEP\" partition in.raw --dtype uint8 --where 'x != 0' --indices --threads 2 -o out.raw && "
        "wc -c < out.raw && tail -c 8 out.raw | od -An -td8");
    EXPECT_EQ(result.code, 0) << result.words;
    EXPECT_EQ(result.out, "480000000\n             59999999\n");
}

class cli_compact_table : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("t.csv", "key,n,\"x, y\"\na,1,0.5\n\"b \"\"c\"\"\", 2 ,1\n\"d\",3,-2\ne,4,1e3\nf,5,\"0.25\"\n");
    }
};

TEST_F(cli_compact_table, rows_keep_their_text) {
    EXPECT_EQ(succeed("compact t.csv --where 'n >= 2' --where '\"x, y\" < 2'"),
              "key,n,\"x, y\"\n\"b \"\"c\"\"\", 2 ,1\n\"d\",3,-2\nf,5,\"0.25\"\n");
    EXPECT_EQ(succeed("compact t.csv --where 'x, y < 0'"), "key,n,\"x, y\"\n\"d\",3,-2\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n > 5'"), "key,n,\"x, y\"\n");
    EXPECT_EQ(succeed("partition t.csv --where 'n > 2'"),
              "key,n,\"x, y\"\n\"d\",3,-2\ne,4,1e3\nf,5,\"0.25\"\na,1,0.5\n\"b \"\"c\"\"\", 2 ,1\n");
    EXPECT_EQ(succeed("partition t.csv --column n --pivot 3"), succeed("partition t.csv --where 'n < 3'"));
    EXPECT_EQ(succeed("compact t.csv --column n --where 'x == 4'"), "key,n,\"x, y\"\ne,4,1e3\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" compact - --where 'n == 1'").out, "key,n,\"x, y\"\na,1,0.5\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" partition - --column n --pivot 3").out,
              succeed("partition t.csv --where 'n < 3'"));
}

TEST_F(cli_compact_table, line_ends_and_quotes_of_all_kinds) {
    write("t.csv", "\xef\xbb\xbfn,text\r\n1,\"two\r\nlines\"\r\n2,b\r\n3,\"\"\"q\"\"\"");
    EXPECT_EQ(succeed("compact t.csv --where 'n != 2'"),
              "n,text\r\n1,\"two\r\nlines\"\r\n3,\"\"\"q\"\"\"\r\n");
    EXPECT_EQ(succeed("partition t.csv --where 'n > 1'"),
              "n,text\r\n2,b\r\n3,\"\"\"q\"\"\"\r\n1,\"two\r\nlines\"\r\n");
    write("t.csv", "n\r5\r3\r");
    EXPECT_EQ(succeed("partition t.csv --pivot 4"), "n\r3\r5\r");
    write("t.csv", "n");
    EXPECT_EQ(succeed("compact t.csv --where 'n > 1'"), "n\n");
    write("t.csv", "n\n7\n\n\n");
    EXPECT_EQ(succeed("compact t.csv --where 'x > 1'"), "n\n7\n");
    write("t.csv", "\"a \"\"b\"\" < c\",x\n1,5\n2,6\n");
    EXPECT_EQ(succeed("compact t.csv --where '\"a \"\"b\"\" < c\" > 1'"), "\"a \"\"b\"\" < c\",x\n2,6\n");
    EXPECT_EQ(succeed("compact t.csv --where 'x < 6'"), "\"a \"\"b\"\" < c\",x\n1,5\n");
    EXPECT_EQ(succeed("compact t.csv --column x --where 'x < 6' --where '\"x\" > 4'"),
              "\"a \"\"b\"\" < c\",x\n1,5\n");
}

TEST_F(cli_compact_table, other_formats) {
    write("t.tsv", "k\tn\na, b\t1\nc\t2\n");
    EXPECT_EQ(succeed("compact t.tsv --where 'n < 2'"), "k\tn\na, b\t1\n");
    succeed("partition t.tsv --where 'n > 1' -o out.csv");
    EXPECT_EQ(read("out.csv"), "k,n\nc,2\n\"a, b\",1\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n > 3' --indices"), "index\n3\n4\n");
    EXPECT_EQ(succeed("partition t.csv --where 'n == 3' --indices"), "index\n2\n0\n1\n3\n4\n");
    succeed("partition t.csv --where 'n > 3' --indices -o out.npy");
    EXPECT_EQ(npy_header(read("out.npy")), "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({3, 4, 0, 1, 2}));
    succeed("compact t.csv --where 'n > 3' --indices -o out.raw");
    EXPECT_EQ(read("out.raw"), bytes_of<std::int64_t>({3, 4}));
    write("n.csv", "5,1\n6,2\n");
    EXPECT_EQ(succeed("compact n.csv --no-header --where '2 > 1'"), "6,2\n");
    EXPECT_EQ(succeed("compact n.csv --no-header --where '2 > 1' --indices"), "index\n1\n");
    write("empty.csv", "n,m\n");
    EXPECT_EQ(succeed("partition empty.csv --where 'n < 1'"), "n,m\n");
}

// Integers of a column are compared as integers, whatever stands in the other rows.
TEST_F(cli_compact_table, numbers_are_exact) {
    write("t.csv", "n\n9007199254740993\n9007199254740992\n0.5\n-9223372036854775808\nnan\ninf\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n == 9007199254740993'"), "n\n9007199254740993\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n < 9007199254740993'"),
              "n\n9007199254740992\n0.5\n-9223372036854775808\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n > 0.25' --where 'n<9e999'"),
              "n\n9007199254740993\n9007199254740992\n0.5\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n < -9223372036854775807'"), "n\n-9223372036854775808\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n < -9223372036854775808'"), "n\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n != nan' --indices"), "index\n0\n1\n2\n3\n4\n5\n");
    EXPECT_EQ(succeed("compact t.csv --where 'n >= 99999999999999999999'"), "n\ninf\n");
}

// Rows of many lengths across blocks of the reader, more than wait in memory.
TEST_F(cli_compact_table, long_tables) {
    std::mt19937 random(3);
    std::string table = "n,\"text\"\n";
    std::string front = table;
    std::string back;
    for (int row = 0; row < 60000; ++row) {
        const int n = static_cast<int>(random() % 100);
        std::string line = std::to_string(n) + ",";
        if (n % 3 == 0)
            line += "\"" + std::string(random() % 100, 'q') + "\"\"\n\"";
        else
            line += std::string(random() % 50, 'p');
        line += "\n";
        table += line;
        (n < 40 ? front : back) += line;
    }
    write("t.csv", table);
    EXPECT_TRUE(succeed("compact t.csv --where 'n < 40'") == front);
    for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1000"}) {
        succeed("partition t.csv --where 'n < 40' -o out.csv", blocks);
        EXPECT_TRUE(read("out.csv") == front + back);
        EXPECT_TRUE(shell("cat t.csv | " + std::string(blocks) +
                          " \"$UPSWEEP\" partition - --format csv --where 'n < 40' | cat")
                        .out == front + back);
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"out.csv", "t.csv"}));
}

TEST_F(cli_compact_table, the_rain_of_seattle) {
    const std::string data = std::string(UPSWEEP_SOURCE_DIR) + "/data/seattle-weather.csv";
    const std::string json =
        succeed("compact '" + data + "' --where 'precipitation > 0' --where 'temp_max < 5' --json -o o.csv");
    EXPECT_NE(json.find(R"("where": ["precipitation > 0", "temp_max < 5"], "indices": false, "count": 1461, )"
                        R"("kept": 13, "shape": [1461], "seconds": )"),
              std::string::npos)
        << json;
    EXPECT_EQ(json.find("dtype"), std::string::npos);
    EXPECT_EQ(read("o.csv").find("date,year,precipitation,temp_max,temp_min,wind,weather\n"
                                 "2012-01-06,2012,2.5,4.4,2.2,2.2,rain\n2012-01-14,2012,"),
              0u);
    EXPECT_EQ(shell("awk -F, 'NR == 1 || ($3 > 0 && $4 < 5)' '" + data + "' | cmp - o.csv").code, 0);
    succeed("partition '" + data + "' --where 'precipitation > 0' -o o.csv");
    EXPECT_EQ(shell("(head -n 1 '" + data + "'; awk -F, 'NR > 1 && $3 > 0' '" + data +
                    "'; awk -F, 'NR > 1 && !($3 > 0)' '" + data + "') | cmp - o.csv")
                  .code,
              0);
}

class cli_compact_errors : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("x.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
        write("t.csv", "key,n\na,1\nb,two\n");
        write("old.npy", "the old output");
        write("old.csv", "the old table");
    }
    // By either command; the failure leaves old outputs alone and nothing behind.
    void fail_and_keep(int code, const std::string& arguments, const std::string& part) const {
        const auto before = files();
        const std::string output =
            arguments.find(".csv") == std::string::npos ? " -o old.npy" : " -o old.csv";
        for (const char* command : {"compact ", "partition "}) fail(code, command + arguments + output, part);
        EXPECT_EQ(read("old.npy"), "the old output");
        EXPECT_EQ(read("old.csv"), "the old table");
        EXPECT_EQ(files(), before);
    }
};

TEST_F(cli_compact_errors, conditions) {
    const auto refuse = [&](const std::string& condition, const std::string& part) {
        fail_and_keep(2, "x.npy --where '" + condition + "'", part);
    };
    refuse("x = 5", "--where \"x = 5\": = is no comparison, == is; expected NAME OP NUMBER as in 'x < 5'");
    refuse("x=5", "= is no comparison, == is");
    refuse("x =< 5", "=< is no comparison, <= is");
    refuse("x => 5", "=> is no comparison, >= is");
    refuse("x <> 5", "<> is no comparison, != is");
    refuse("x ! 5", "! is no comparison, != is");
    refuse("", "--where \"\": the name is missing");
    refuse("  ", "the name is missing");
    refuse("< 5", "the name is missing");
    refuse("x", "a comparison (< <= == != >= >) is missing");
    refuse("5", "a comparison (< <= == != >= >) is missing");
    refuse("\"x\" y < 5", "a comparison (< <= == != >= >) is missing");
    refuse("x <", "the number is missing");
    refuse("x == ", "the number is missing");
    refuse("\"x < 5", "a quoted name that nothing closes");
    refuse("x < five", "--where \"x < five\": int32 is compared with an integer, but \"five\" is none");
    refuse("x < 5.5", "int32 is compared with an integer, but \"5.5\" is none");
    refuse("x < 1e1", "int32 is compared with an integer");
    refuse("x < inf", "int32 is compared with an integer");
    refuse("x === 5", "int32 is compared with an integer, but \"= 5\" is none");
    refuse("x < 5 and x > 2", "but \"5 and x > 2\" is none");
    refuse("x < 5\n", "but \"5\\x0a\" is none");
    refuse("1 < x", "--where \"1 < x\": x.npy is no table with columns; its elements are called x");
    refuse("n < 5", "--where \"n < 5\": x.npy is no table with columns; its elements are called x");
    fail_and_keep(2, "x.npy --where 'x < 5' --where 'x > y'", "--where \"x > y\": int32 is compared with");
    fail(2, "partition x.npy --pivot five -o old.npy", "--pivot \"five\": int32 is compared with an integer");
    fail(2, "compact x.npy -o old.npy", "--where is missing: say what to keep, as in --where 'x < 5'");
    fail(2, "partition x.npy -o old.npy", "say what comes first, with --where 'x < 5' or --pivot 5");
    fail(2, "partition x.npy --pivot 5 --where 'x > 1' -o old.npy", "give one of them");
    fail(2, "compact x.npy --pivot 5 -o old.npy", "unknown argument: 5 --pivot");
    write("c.npy", npy_file("<c8", "1,", std::string(8, '\0')));
    fail_and_keep(2, "c.npy --where 'x < 5'", "--where \"x < 5\": complex64 has no order; expected == or !=");
    fail_and_keep(2, "c.npy --where 'x == i'", "--where \"x == i\": \"i\" is not a value of type complex64");
    write("b.npy", npy_file("|b1", "1,", std::string(1, '\0')));
    fail_and_keep(2, "b.npy --where 'x == yes'", "bool is compared with an integer, true or false");
    EXPECT_EQ(read("old.npy"), "the old output");
}

TEST_F(cli_compact_errors, arguments) {
    fail_and_keep(2, "x.npy --where 'x < 5' --threads 0", "--threads 0");
    fail_and_keep(2, "x.npy --where 'x < 5' --column n", "--column and --no-header are for .csv and .tsv");
    fail_and_keep(2, "x.npy --where 'x < 5' --no-header", "--column and --no-header are for .csv and .tsv");
    fail_and_keep(2, "x.npy --where 'x < 5' --dtype int32", "--dtype is for raw data");
    fail_and_keep(2, "x.raw --where 'x < 5'", "x.raw: raw data does not tell the type of its elements");
    fail_and_keep(2, "x.raw --dtype int33 --where 'x < 5'", "--dtype \"int33\": expected one of bool, int8");
    fail_and_keep(2, "x.npy --format text --where 'x < 5'", "--format \"text\": expected one of");
    fail_and_keep(2, "x.dat --where 'x < 5'", "the ending tells no format");
    fail_and_keep(2, "--where 'x < 5'", "INPUT is required");
    fail_and_keep(2, "x.npy y.npy --where 'x < 5'", "y.npy");
    fail_and_keep(2, "x.npy --where 'x < 5' --device cuda", "unknown argument: cuda --device");
    fail(2, "compact x.npy --where 'x < 5' --json", "name a file for the data with -o");
    fail(2, "compact x.npy --where 'x < 5' -o t.csv", "not as a table");
    fail(2, "compact t.csv --where 'n < 5' -o t.npy", "an array can hold their --indices");
    EXPECT_EQ(upsweep("compact x.npy --where 'x < 5' -o y.npy", "UPSWEEP_BLOCK_BYTES=many").code, 2);
}

TEST_F(cli_compact_errors, tables) {
    fail_and_keep(1, "t.csv --where 'n < 5'", "t.csv: line 3, column 2 (n): \"two\" is not a number");
    fail_and_keep(1, "t.csv --where 'n < 5' --indices", "t.csv: line 3, column 2 (n)");
    fail_and_keep(2, "t.csv --where 'm < 5'",
                  "--where \"m < 5\": column \"m\": t.csv has no such column, but key, n");
    fail_and_keep(2, "t.csv --where 'x < 5'",
                  "--where \"x < 5\": say with --column which column of t.csv is x; there are key, n");
    fail_and_keep(2, "t.csv --where 'x < 5' --column m", "--column \"m\": t.csv has no such column");
    fail_and_keep(2, "t.csv --where 'n < 5' --column n", "--column says which column x is");
    fail_and_keep(2, "t.csv --where 'n < five'",
                  "--where \"n < five\": float64 is compared with a number, but \"five\" is none");
    write("bad.csv", "a,b\n1,\n");
    fail_and_keep(1, "bad.csv --where 'b < 5'", "bad.csv: line 2, column 2 (b): the cell is empty");
    fail_and_keep(1, "bad.csv --where 'a > 5' --where 'b < 5'", "bad.csv: line 2, column 2 (b)");
    write("bad.csv", "a,b\n1,2,3\n");
    fail_and_keep(1, "bad.csv --where 'a < 5'", "bad.csv: line 2");
    write("bad.csv", "a,a\n1,2\n");
    fail_and_keep(1, "bad.csv --where 'a < 5'", "bad.csv: has more than one column \"a\"");
    write("bad.csv", "");
    fail_and_keep(1, "bad.csv --where 'a < 5'", "bad.csv: is empty");
    fail(1, "compact t.csv --where 'n < 5' -o t.csv", "t.csv: is the input too");
    EXPECT_EQ(read("t.csv"), "key,n\na,1\nb,two\n");
}

TEST_F(cli_compact_errors, arrays_and_outputs) {
    const std::string good = read("x.npy");
    write("bad.npy", good.substr(0, good.size() - 5));
    fail_and_keep(1, "bad.npy --where 'x < 5'", "data is truncated: the header states 12 bytes, 7 are there");
    write("bad.npy", good + "x");
    fail_and_keep(1, "bad.npy --where 'x < 5'", "1 bytes follow");
    write("bad.npy", "not an array");
    fail_and_keep(1, "bad.npy --where 'x < 5'", "bad.npy: ");
    write("bad.raw", "12345");
    fail_and_keep(1, "bad.raw --dtype int32 --where 'x < 5'", "5 bytes are not a whole number of int32");
    fail_and_keep(1, "absent.npy --where 'x < 5'", "absent.npy: cannot be opened");
    for (const char* command : {"compact", "partition"}) {
        const std::string tool = std::string("\"$UPSWEEP\" ") + command;
        const std::string where = " --where 'x < 5' ";
        EXPECT_EQ(shell("head -c 135 x.npy | " + tool + " -" + where + "-o old.npy").code, 1);
        EXPECT_EQ(shell("head -c 5 bad.raw | " + tool + " - --dtype i4" + where + "-o old.npy").code, 1);
        EXPECT_EQ(read("old.npy"), "the old output");
        const outcome pipe = shell("head -c 135 x.npy | " + tool + " -" + where + "| cat");
        EXPECT_EQ(pipe.out, "");  // no header of what is not there
        fail(1, command + (" x.npy" + where) + "-o x.npy", "x.npy: is the input too");
        EXPECT_EQ(read("x.npy"), good);
        EXPECT_EQ(shell("ln -f x.npy y.npy; " + tool + " x.npy" + where + "-o y.npy").code, 1);
        fail(1, command + (" x.npy" + where) + "-o absent/y.npy", "absent/y.npy: cannot be created");
        fail(1, command + (" x.npy" + where) + "-o /dev/full", "/dev/full: cannot be written");
        fail(1, command + (" x.npy" + where) + "-o .", "is a directory");
        EXPECT_EQ(shell(tool + " x.npy" + where + "> /dev/full").code, 1);
        const outcome limited =
            shell("head -c 4000000 /dev/zero > z.raw; (ulimit -f 100; trap '' XFSZ; exec " + tool +
                  " z.raw --dtype i4 --where 'x > 0' --where 'x < 0' -o old.npy)");
        EXPECT_EQ(limited.code, std::string(command) == "compact" ? 0 : 1) << limited.words;
        write("old.npy", "the old output");
    }
    // What waits cannot be written either.
    const outcome waiting = shell(
        "(ulimit -f 100; trap '' XFSZ; UPSWEEP_BLOCK_BYTES=1000 TMPDIR=. exec \"$UPSWEEP\" partition "
        "z.raw --dtype i4 --where 'x > 0' | cat)");
    EXPECT_EQ(waiting.out, "");
    EXPECT_NE(waiting.words.find("a scratch file cannot be written here"), std::string::npos)
        << waiting.words;
    EXPECT_EQ(files(), (std::vector<std::string>{"bad.npy", "bad.raw", "old.csv", "old.npy", "t.csv", "x.npy",
                                                 "y.npy", "z.raw"}));
}

TEST_F(cli_compact_errors, what_json_tells) {
    std::string json = succeed("compact x.npy -o y.npy --json --where 'x != 2' --threads 2");
    for (const char* part :
         {R"({"file": "x.npy", "output": "y.npy", "where": ["x != 2"], "indices": false, )",
          R"("dtype": "int32", "input_dtype": "int32", "count": 3, "kept": 2, "shape": [3], "seconds": )",
          R"("bytes": 20, "bytes_per_second": )", R"("device": "cpu", "threads": 2, "simd": ")"})
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    EXPECT_EQ(json.find('\n'), json.size() - 1);
    json = succeed("partition x.npy -o y.npy --json --pivot 3 --indices");
    for (const char* part :
         {R"("where": ["x < 3"], "indices": true, "dtype": "int64", "input_dtype": "int32", "count": 3, )",
          R"("others_begin": 2, )", R"("bytes": 36, )"})
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    EXPECT_EQ(json.find("kept"), std::string::npos);
    write("m.npy", npy_file("<i4", "1, 3", bytes_of<std::int32_t>({1, 2, 3})));
    EXPECT_NE(succeed("compact m.npy --where 'x > 9' -o y.npy --json")
                  .find(R"("count": 3, "kept": 0, "shape": [1, 3], )"),
              std::string::npos);
}

TEST_F(cli_compact_errors, every_simd_level_gives_the_same_bytes) {
    write("f.npy", npy_file("<f4", "20000,", bytes_of(numbers<float>(20000))));
    succeed("partition f.npy --where 'x > 1' --where 'x < 4' -o a.npy");
    succeed("partition f.npy --where 'x > 1' --where 'x < 4' -o b.npy --threads 1", "UPSWEEP_SIMD=portable");
    EXPECT_EQ(read("a.npy"), read("b.npy"));
}

}  // namespace
}  // namespace upsweep::test
