// `upsweep histogram` and `upsweep bins` of arrays and columns: types, byte orders, blocks, pipes. What is
// expected comes from a loop with find_bin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/random.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> numbers(std::size_t n) {
    random_bits random(n + 3);
    std::vector<T> made(n);
    for (T& x : made) {
        const double number = random.between(-20, 30);
        x = static_cast<T>(std::is_unsigned_v<T> ? std::abs(number) : number);
        if constexpr (!std::is_integral_v<T>)
            if (random.below(32) == 0) x = T(std::numeric_limits<float>::quiet_NaN());
    }
    return made;
}

template <class T>
struct binned {
    std::vector<std::int64_t> counts, offsets, indices;
    std::vector<T> elements;
};
// find(x): the bin of an element, or another number.
template <class T, class Find>
binned<T> bin_all(const std::vector<T>& in, std::uint32_t count, const Find& find) {
    binned<T> made;
    made.offsets = {0};
    for (std::uint32_t bin = 0; bin < count; ++bin) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (find(in[i]) != bin) continue;
            made.indices.push_back(static_cast<std::int64_t>(i));
            made.elements.push_back(in[i]);
        }
        made.counts.push_back(static_cast<std::int64_t>(made.elements.size()) - made.offsets.back());
        made.offsets.push_back(static_cast<std::int64_t>(made.elements.size()));
    }
    return made;
}

class cli_histogram : public cli_test {
  protected:
    // Number: what elements are looked at as.
    template <class Number, class T>
    void check(const std::vector<T>& in, const std::string& code, const std::string& options,
               const bin_range<Number>& range) const {
        check(code, options, in,
              bin_all(in, range.count, [&](T x) { return find_bin(range, static_cast<Number>(x)); }));
    }
    // Compared in long double, which has all numbers of the types.
    template <class T>
    void check(const std::vector<T>& in, const std::string& code, const std::string& options,
               const std::vector<long double>& edges) const {
        check(code, options, in, bin_all(in, static_cast<std::uint32_t>(edges.size() - 1), [&](T x) {
                  return find_bin(bin_edges<long double>{edges},
                                  static_cast<long double>(static_cast<accumulator_type<T>>(x)));
              }));
    }

  private:
    // Both commands, elements and indices, both byte orders, one block and many, file and pipe.
    template <class T>
    void check(const std::string& code, const std::string& options, const std::vector<T>& in,
               const binned<T>& want) const {
        SCOPED_TRACE(code + " " + options);
        const std::string shape = std::to_string(in.size()) + ",";
        const std::string descr = (sizeof(T) == 1 ? "|" : "<") + code;
        write("little.npy", npy_file(descr, shape, bytes_of(in)));
        write("big.npy", npy_file((sizeof(T) == 1 ? "|" : ">") + code, shape, bytes_of(in, sizeof(T))));
        int run = 0;
        for (const char* file : {"little.npy", "big.npy"}) {
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1000"}) {
                ++run;
                if (sanitized && run != 1 && run != 4) continue;
                const std::string input = run % 2 == 0 ? "- " : std::string(file) + " ";
                const std::string from = run % 2 == 0 ? std::string("cat ") + file + " | " : "";
                const auto tool = [&](const std::string& arguments) {
                    const outcome result = shell(from + blocks + " \"$UPSWEEP\" " + arguments);
                    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.words;
                    EXPECT_EQ(result.words + result.out, "") << arguments;
                };
                SCOPED_TRACE(from + input + blocks);
                // Counts and indices know nothing of the elements' type: of both, one in turn.
                const bool both = !sanitized || sizeof(T) == 4;
                if (both || run == 1) {
                    tool("histogram " + input + options + " -o counts.npy");
                    expect_npy(read("counts.npy"), "<i8", want.counts);
                }
                tool("bins " + input + options + " -o out.npy --offsets offsets.npy");
                expect_npy(read("out.npy"), descr, want.elements);
                expect_npy(read("offsets.npy"), "<i8", want.offsets);
                if (!both && run == 1) continue;
                tool("bins " + input + options + " --indices -o out.npy");
                expect_npy(read("out.npy"), "<i8", want.indices);
            }
        }
    }
};

TEST_F(cli_histogram, integers) {
    const bin_range<std::int64_t> range{-3, 17, 7}, clamped{-3, 17, 7, true};
    check(numbers<std::int8_t>(3000), "i1", "--bins 7 --range -3:17", range);
    check(numbers<std::uint8_t>(3000), "u1", "--bins 7 --range=-3:17", range);
    check(numbers<std::int16_t>(3000), "i2", "--bins 7 --range -3:17 --clamp", clamped);
    check(numbers<std::uint16_t>(3000), "u2", "--bins 7 --range -3:17", range);
    check(numbers<std::int32_t>(3000), "i4", "--bins 7 --range -3:17", range);
    check(numbers<std::uint32_t>(3000), "u4", "--bins 7 --range -3:17", range);
    check(numbers<std::int64_t>(3000), "i8", "--bins 7 --range -3:17 --threads 1", range);
    check(numbers<std::uint64_t>(3000), "u8", "--bins 1 --range 0:18446744073709551615 --clamp",
          bin_range<std::uint64_t>{0, ~std::uint64_t{0}, 1, true});
    auto truth = numbers<std::uint8_t>(3000);
    for (std::uint8_t& byte : truth) byte %= 2;
    check(truth, "b1", "--bins 2 --range 0:2", bin_range<std::int64_t>{0, 2, 2});
}
TEST_F(cli_histogram, reals) {
    check(numbers<float16>(3000), "f2", "--bins 9 --range 0.25:7", bin_range<float>{0.25f, 7, 9});
    check(numbers<float>(3000), "f4", "--bins 9 --range 0.1:7", bin_range<float>{0.1f, 7, 9});
    check(numbers<double>(3000), "f8", "--range -1e1:7 --clamp", bin_range<double>{-10, 7, 10, true});
    // Far more bins than there are numbers in a block.
    check(numbers<float>(3000), "f4", "--bins 5000 --range 0:50", bin_range<float>{0, 50, 5000});
}

TEST_F(cli_histogram, edges) {
    const std::vector<long double> halves{-2.5L, -0.5L, 3, 3, 10.25L, 10.5L, 10.75L};
    const std::string given = "--edges=-2.5,-.5,3,3,10.25,10.5,10.75";
    check(numbers<std::int8_t>(3000), "i1", given, halves);
    check(numbers<std::uint8_t>(3000), "u1", given, halves);
    check(numbers<float16>(3000), "f2", given, halves);
    check(numbers<float>(3000), "f4", "--edges 0.1,7.3", {0.1, 7.3});
    check(numbers<double>(3000), "f8", "--edges 0.1,7.3,inf",
          {0.1, 7.3, std::numeric_limits<long double>::infinity()});
    const std::vector<std::int64_t> large{1, 9007199254740992, 9007199254740993, 9007199254740994};
    check(large, "i8", "--edges 9007199254740993,9007199254740994,1e300",
          {9007199254740993, 9007199254740994, 1e300});
    check(std::vector<std::uint64_t>{0, 5, ~std::uint64_t{0}}, "u8", "--edges=-1,4.5,18446744073709551615",
          {-1, 4.5, 18446744073709551615.0L});
    check(numbers<std::int16_t>(3000), "i2", "--edges 0,5,20 --clamp",
          {-std::numeric_limits<long double>::infinity(), 5, std::numeric_limits<long double>::infinity()});
}

// From the smallest number to the largest.
TEST_F(cli_histogram, range_of_the_numbers) {
    auto in = numbers<float>(3000);
    float least = 100, most = -100;
    for (const float x : in) least = x < least ? x : least, most = x > most ? x : most;
    check(in, "f4", "--bins 12", bin_range<float>{least, most, 12, true});
    auto whole = numbers<std::int16_t>(3000);
    check(whole, "i2", "--bins 12", bin_range<std::int64_t>{-19, 29, 12, true});
    check(std::vector<double>(50, 2.5), "f8", "--bins 3", bin_range<double>{2, 3, 3, true});
    check(std::vector<std::int8_t>(50, 127), "i1", "--bins 3", bin_range<std::int64_t>{127, 128, 3});
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    check(std::vector<std::int64_t>(5, largest), "i8", "--bins 2",
          bin_range<std::int64_t>{largest - 1, largest, 2, true});
    check(std::vector<float>(), "f4", "--bins 3", bin_range<float>{0, 1, 3});
}

// Every element counts; extraction goes in C order.
TEST_F(cli_histogram, several_dimensions) {
    write("f.npy", npy_file("<i4", "2, 3", bytes_of<std::int32_t>({1, 2, 8, 4, 5, 6}), true));
    succeed("histogram f.npy --bins 2 --range 0:8 -o counts.npy");
    expect_npy(read("counts.npy"), "<i8", std::vector<std::int64_t>{2, 3});
    for (const char* input : {"bins f.npy", "bins -"}) {
        const outcome made = shell(std::string("cat f.npy | \"$UPSWEEP\" ") + input +
                                   " --bins 2 --range 0:8 -o out.npy --indices");
        EXPECT_EQ(made.code, 0) << made.words;
        expect_npy(read("out.npy"), "<i8", std::vector<std::int64_t>{0, 3, 2, 4, 5});
        EXPECT_EQ(shell(std::string("cat f.npy | \"$UPSWEEP\" ") + input + " --bins 2 -o out.npy").code, 0);
        expect_npy(read("out.npy"), "<i4", std::vector<std::int32_t>{1, 2, 4, 8, 5, 6});
    }
}

TEST_F(cli_histogram, raw_files) {
    const auto in = numbers<std::int16_t>(2000);
    const bin_range<std::int64_t> range{-20, 30, 10};
    const auto want = bin_all(in, range.count, [&](std::int64_t x) { return find_bin(range, x); });
    write("big.raw", bytes_of(in, 2));
    succeed("histogram big.raw --dtype '>i2' --range -20:30 -o counts.raw");
    EXPECT_EQ(read("counts.raw"), bytes_of(want.counts));
    succeed("bins big.raw --dtype '>i2' --range -20:30 -o out.raw --offsets offsets.raw");
    EXPECT_EQ(read("out.raw"), bytes_of(want.elements));
    EXPECT_EQ(read("offsets.raw"), bytes_of(want.offsets));
    EXPECT_EQ(
        shell("cat big.raw | UPSWEEP_BLOCK_BYTES=64 \"$UPSWEEP\" bins - --dtype '>i2' --bins 1 | wc -c").out,
        "4000\n");
}

TEST_F(cli_histogram, tables) {
    write("t.csv", "day,rain\n1,0.5\n2,-1\n3,2\n4,nan\n5,0.25\n");
    const std::string counts = "lower,upper,count\n0,0.5,1\n0.5,1,1\n";
    EXPECT_EQ(succeed("histogram t.csv --column rain --bins 2 --range 0:1 -o -"), counts);
    succeed("histogram t.csv --column rain --bins 2 --range 0:1 -o c.tsv");
    EXPECT_EQ(read("c.tsv"), "lower\tupper\tcount\n0\t0.5\t1\n0.5\t1\t1\n");
    EXPECT_EQ(succeed("bins t.csv --column rain --bins 2 --range 0:1 --indices"), "index\n4\n0\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" bins - --column rain --bins 3 --indices --offsets o.csv").out,
              "index\n1\n0\n4\n2\n");
    EXPECT_EQ(read("o.csv"), "offset\n0\n1\n3\n4\n");
    succeed("bins t.csv --column day --range 0:9 --indices -o out.npy");
    expect_npy(read("out.npy"), "<i8", std::vector<std::int64_t>{0, 1, 2, 3, 4});
    write("one.tsv", "3\n5\n");
    EXPECT_EQ(succeed("histogram one.tsv --no-header --bins 1 --range 0:4 -o -"),
              "lower,upper,count\n0,4,1\n");
}

// What people see. A bar's length is its share of the longest.
TEST_F(cli_histogram, printed) {
    write("i.npy", npy_file("<i4", "8,", bytes_of<std::int32_t>({0, 1, 2, 3, 3, 3, 3, 12})));
    EXPECT_EQ(succeed("histogram i.npy --bins 4 --range 0:10"),
              "from  below  count\n"
              "   0     3       3  ####################################\n"
              "   3     5       4  ################################################\n"
              "   5     8       0\n"
              "   8    10       0\n"
              "1 of 8 values is in no bin\n");
    EXPECT_EQ(succeed("histogram i.npy --bins 2"),
              "from     to  count\n"
              "   0     6       7  ################################################\n"
              "   6    12]      1  #######\n");
    EXPECT_EQ(succeed("histogram i.npy --edges 0,0.5,3"),
              "from     to  count\n"
              "   0   0.5       1  ########\n"
              " 0.5     3]      6  ################################################\n"
              "1 of 8 values is in no bin\n");
    write("f.npy", npy_file("<f4", "2,", bytes_of<float>({0.1f, 1000000.5f})));
    EXPECT_EQ(succeed("histogram f.npy --bins 2 --range 1000000:1000001"),
              "     from       below  count\n"
              "  1000000  1000000.5       0\n"
              "1000000.5    1000001       1  ################################################\n"
              "1 of 2 values is in no bin\n");
    EXPECT_EQ(succeed("histogram f.npy --bins 1 --range 0:0.001"),
              " from   below  count\n    0  0.001       0\n2 of 2 values are in no bin\n");
}

TEST_F(cli_histogram, json) {
    write("i.npy", npy_file("<i2", "2, 2", bytes_of<std::int16_t>({0, 5, 9, 30})));
    const std::string report = succeed("histogram i.npy --bins 2 --range 0:10 --json -o c.npy --plot c.svg");
    const std::string begin =
        R"({"file": "i.npy", "output": "c.npy", "plot": "c.svg", "bins": 2, "clamp": false, )"
        R"("last_closed": false, "edges": [0, 5, 10], "counts": [1, 2], "dtype": "int16", "count": 4, )"
        R"("counted": 3, "shape": [2, 2], "seconds": )";
    EXPECT_EQ(report.substr(0, begin.size()), begin);
    EXPECT_NE(report.find(R"(, "bytes": 8, "bytes_per_second": )"), std::string::npos) << report;
    EXPECT_NE(read("c.svg").find("Histogram of i.npy"), std::string::npos);
    const std::string all = succeed("bins i.npy --bins 2 --json -o c.npy --indices");
    const std::string first =
        R"({"file": "i.npy", "output": "c.npy", "indices": true, "bins": 2, "clamp": false, )"
        R"("last_closed": true, "edges": [0, 15, 30], "offsets": [0, 3, 4], "dtype": "int64", )"
        R"("input_dtype": "int16", "count": 4, "placed": 4, "shape": [2, 2], "seconds": )";
    EXPECT_EQ(all.substr(0, first.size()), first);
    EXPECT_NE(all.find(R"(, "bytes": 56, )"), std::string::npos) << all;  // three passes of 8, and 32
}

// Twelve bars that touch; many that become an outline; one.
TEST_F(cli_histogram, pictures) {
    const auto in = numbers<double>(4000);
    write("x.npy", npy_file("<f8", "4000,", bytes_of(in)));
    for (const char* bins : {"1", "12", "3000"}) {
        succeed(std::string("histogram x.npy -o c.csv --plot p.svg --bins ") + bins);
        EXPECT_NE(read("p.svg").find(std::string("4000 values in ") + bins + " bin"), std::string::npos);
        succeed(std::string("histogram x.npy -o c.csv --plot p.png --bins ") + bins);
        EXPECT_EQ(read("p.png").substr(1, 3), "PNG");
    }
    // Each as wide as its bin, but for the gap; without those that have no end.
    succeed("histogram x.npy -o c.csv --plot p.svg --edges=-20,0,10,inf");
    std::string picture = read("p.svg");
    EXPECT_NE(picture.find("; bins without an end are not drawn"), std::string::npos);
    picture.erase(0, picture.find("<path fill=\"#0072b2\""));
    picture.erase(picture.find("/>"));
    std::vector<double> widths;
    for (std::size_t i = picture.find('h'); i != std::string::npos; i = picture.find('h', i + 1))
        if (picture[i + 1] != '-' && picture[i - 1] != 't')
            widths.push_back(std::stod(picture.substr(i + 1)));
    ASSERT_EQ(widths.size(), 2u) << picture;
    EXPECT_NEAR((widths[0] + 1) / (widths[1] + 1), 2, 0.01);  // written in hundredths of a pixel
}

// Counts and offsets agree about what a file is called.
TEST_F(cli_histogram, names_that_tell_no_format) {
    write("x.npy", npy_file("<f8", "3,", bytes_of<double>({1, 2, 3})));
    succeed("bins x.npy --bins 2 --range 0:4 -o y.npy --offsets offsets.txt");
    EXPECT_EQ(read("offsets.txt"), "offset\n0\n1\n3\n");
    succeed("histogram x.npy --bins 2 --range 0:4 -o counts.txt");
    EXPECT_EQ(read("counts.txt"), "lower,upper,count\n0,2,1\n2,4,2\n");
}

TEST_F(cli_histogram, errors) {
    const double inf = std::numeric_limits<double>::infinity();
    write("x.npy", npy_file("<f8", "3,", bytes_of<double>({1, 2, inf})));
    write("n.npy", npy_file("<f8", "1,", bytes_of<double>({inf - inf})));
    write("h.npy", npy_file("<f8", "1,", bytes_of<double>({1e300})));
    write("i.npy", npy_file("<i4", "1,", bytes_of<std::int32_t>({1})));
    write("u.npy", npy_file("<u8", "1,", bytes_of<std::uint64_t>({1})));
    write("c.npy", npy_file("<c8", "1,", std::string(8, '\0')));
    write("t.csv", "a,b\n1,2\n3,x\n");
    write("old.npy", "the old output");
    for (const std::string command : {"histogram ", "bins "}) {
        const auto wrong = [&](int code, const std::string& arguments, const std::string& part) {
            fail(code, command + arguments + " -o old.npy", part);
            EXPECT_EQ(read("old.npy"), "the old output");
        };
        wrong(2, "", "INPUT is required");
        wrong(2, "x.npy --bins 0", "--bins 0: expected a number from 1 to 67108864");
        wrong(2, "x.npy --bins 67108865", "--bins 67108865: expected a number from 1 to 67108864");
        wrong(2, "x.npy --bins -1", "--bins -1: expected a number from 1 to 67108864");
        wrong(2, "x.npy --bins 0x3", "--bins 0x3: expected a number from 1 to 67108864");
        wrong(2, "x.npy --range 3", "--range \"3\": expected two numbers, as in 0:1");
        wrong(2, "x.npy --range 3:", "--range \"3:\": expected two numbers, as in 0:1");
        wrong(2, "x.npy --range :3", "--range \":3\": expected two numbers, as in 0:1");
        wrong(2, "x.npy --range 3:1", "--range \"3:1\": expected lo < hi, but lo is 3 and hi is 1");
        wrong(2, "x.npy --range 0:nan", "--range \"0:nan\": expected lo < hi");
        wrong(2, "x.npy --range 0:inf", "--range \"0:inf\": expected bounds with a finite (hi - lo) * count");
        wrong(2, "x.npy --range 0:one", "\"one\" is not a value of type float64");
        wrong(2, "i.npy --range 0:0.5", "--range \"0:0.5\": \"0.5\" is not a value of type int64");
        wrong(2, "u.npy --range -3:5", "--range \"-3:5\": \"-3\" is not a value of type uint64");
        wrong(2, "i.npy --range 0:9223372036854775808", "\"9223372036854775808\" does not fit int64");
        wrong(2, "x.npy --clamp", "--clamp needs --range or --edges");
        wrong(2, "x.npy --edges 1", "--edges \"1\": expected two numbers or more, as in 0,1,10");
        wrong(2, "x.npy --edges 0,,1", "--edges \"0,,1\": \"\" is not a value");
        wrong(2, "x.npy --edges 0,2,1", "--edges \"0,2,1\": expected ascending numbers, but number 2 is not");
        wrong(2, "x.npy --edges 0,nan", "--edges \"0,nan\": expected ascending numbers");
        wrong(2, "x.npy --edges 0,1 --bins 1", "--edges says where all bins are");
        wrong(2, "x.npy --edges 0,1 --range 0:1", "--edges says where all bins are");
        wrong(2, "x.npy --range 0:1 --column b", "--column and --no-header are for .csv and .tsv tables");
        wrong(2, "x.npy --range 0:1 --dtype int8", "--dtype is for raw data");
        wrong(2, "x.raw --range 0:1", "say it with --dtype");
        wrong(1, "x.npy",
              "x.npy: there are infinite numbers, of which no range can be made; say the range with --range");
        wrong(1, "n.npy", "n.npy: there is no number to make a range of; say the range with --range");
        wrong(1, "h.npy",
              "h.npy: all numbers are 1e+300, too large a one for a range around it; say the range");
        wrong(1, "c.npy --range 0:1", "c.npy: complex64 has no order, and so no bins");
        wrong(1, "no.npy", "no.npy");
        const std::string indices = command == "bins " ? " --indices" : "";
        wrong(2, "t.csv" + indices, "say which column holds the numbers with --column; there are a, b");
        wrong(2, "t.csv --column c" + indices, "--column \"c\": t.csv has no such column, but a, b");
        wrong(1, "t.csv --column b --range 0:5" + indices, "t.csv: line 3, column 2 (b)");
        fail(1, command + "x.npy --range 0:1 -o x.npy", "x.npy");
    }
    fail(2, "bins t.csv --column a -o old.npy", "of a table --indices are written");
    fail(2, "bins x.npy -o old.npy --offsets -", "--offsets -: standard output is for the elements");
    fail(2, "bins x.npy --range 0:1 --json", "name a file for the data with -o");
    fail(2, "histogram x.npy --range 0:1 --json -o -", "name a file for the counts with -o");
    fail(2, "histogram x.npy --range 0:1 --plot p.gif", "expected a name that ends in .svg or .png");
    EXPECT_EQ(read("old.npy"), "the old output");
    EXPECT_EQ(files(), (std::vector<std::string>{"c.npy", "h.npy", "i.npy", "n.npy", "old.npy", "t.csv",
                                                 "u.npy", "x.npy"}));
}

}  // namespace
}  // namespace upsweep::test
