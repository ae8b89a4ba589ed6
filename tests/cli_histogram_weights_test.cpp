// `upsweep histogram --weights`: sums by bin of arrays and columns, of every kind of type, from files and
// pipes, in one block and in many. Each has the bits of its bin's weights alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/bin_totals_check.hpp"
#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/random.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {
namespace {

std::vector<float> numbers(std::size_t n) {
    random_bits random(n + 1);
    std::vector<float> made(n);
    for (float& x : made) {
        x = static_cast<float>(random.between(-1, 9));
        if (random.below(40) == 0) x = std::numeric_limits<float>::quiet_NaN();
    }
    return made;
}

template <class W>
std::vector<W> weights(std::size_t n) {
    random_bits random(n + 2);
    std::vector<W> made(n);
    for (W& w : made) {
        const double real = random.between(-100, 100);
        if constexpr (is_complex<W>)
            w = W(static_cast<float>(real), static_cast<float>(random.unit()));
        else if constexpr (std::is_integral_v<W>)
            w = static_cast<W>(random());
        else
            w = W(static_cast<float>(real));
    }
    return made;
}

class cli_histogram_weights : public cli_test {
  protected:
    // x.npy by these weights in both byte orders, from files and pipes, in one block and in many. Acc: what
    // sums are made in; Out: their type.
    template <class Acc, class Out, class W>
    void check(const std::string& code, const std::string& out_code,
               std::vector<W> beside = weights<W>(3000)) {
        const std::size_t word = is_complex<W> ? sizeof(W) / 2 : sizeof(W);
        const std::string one = sizeof(W) == 1 ? "|" : "<", other = sizeof(W) == 1 ? "|" : ">";
        write("little.npy", npy_file(one + code, "3000,", bytes_of(beside)));
        write("big.npy", npy_file(other + code, "3000,", bytes_of(beside, word)));
        write("x.npy", npy_file("<f4", "3000,", bytes_of(x_)));
        int run = 0;
        for (const std::uint32_t bins : {7u, 1'500u}) {
            SCOPED_TRACE(code + ", " + std::to_string(bins) + " bins");
            const std::vector<Acc> sums =
                totals_of<Acc>(bins_of(bin_range<float>{0, 8, bins}, x_), beside, bins, plus(), std::nullopt);
            std::vector<Out> want;
            for (const Acc& sum : sums) want.push_back(cpu::convert<Out>(sum));
            const std::string options = " --range 0:8 --bins " + std::to_string(bins) + " -o sums.npy";
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=1000"}) {
                ++run;
                if (sanitized && run != 1 && run != 4) continue;
                const std::string file = run % 2 == 0 ? "little.npy" : "big.npy";
                succeed("histogram x.npy --weights " + file + options, blocks);
                expect_npy(read("sums.npy"), out_code, want);
                const std::string pipe = run % 2 == 0
                                             ? "cat x.npy | \"$UPSWEEP\" histogram - --weights " + file
                                             : "cat " + file + " | \"$UPSWEEP\" histogram x.npy --weights -";
                EXPECT_EQ(shell(std::string("export ") + blocks + "; " + pipe + options).words, "");
                expect_npy(read("sums.npy"), out_code, want);
            }
        }
    }

    std::vector<float> x_ = numbers(3000);
};

TEST_F(cli_histogram_weights, reals) {
    check<double, double, double>("f8", "<f8");
    check<float, float, float>("f4", "<f4");
    check<float, float16, float16>("f2", "<f2");
}
TEST_F(cli_histogram_weights, integers) {
    check<std::int64_t, std::int64_t, std::int8_t>("i1", "<i8");
    check<std::uint64_t, std::uint64_t, std::uint16_t>("u2", "<u8");
    check<std::int64_t, std::int64_t, std::int64_t>("i8", "<i8");
    auto truth = weights<std::uint8_t>(3000);
    for (std::uint8_t& byte : truth) byte %= 2;
    check<std::int64_t, std::int64_t, std::uint8_t>("b1", "<i8", truth);
}
TEST_F(cli_histogram_weights, complex_numbers) {
    check<std::complex<float>, std::complex<float>, std::complex<float>>("c8", "<c8");
    check<std::complex<double>, std::complex<double>, std::complex<double>>("c16", "<c16");
}

// Read twice: numbers that cannot be are kept, weights are read with the second pass.
TEST_F(cli_histogram_weights, range_of_the_numbers) {
    const std::vector<double> beside = weights<double>(3000);
    write("x.npy", npy_file("<f4", "3000,", bytes_of(x_)));
    write("w.npy", npy_file("<f8", "3000,", bytes_of(beside)));
    succeed("histogram x.npy --weights w.npy -o want.npy");
    float least = 100, most = -100;
    for (const float e : x_) least = e < least ? e : least, most = e > most ? e : most;
    const std::vector<std::uint32_t> found = bins_of(bin_range<float>{least, most, 10, true}, x_);
    expect_npy(read("want.npy"), "<f8", totals_of<double>(found, beside, 10, plus(), std::nullopt));
    for (const char* script : {"cat x.npy | \"$UPSWEEP\" histogram - --weights w.npy -o sums.npy",
                               "cat w.npy | \"$UPSWEEP\" histogram x.npy --weights - -o sums.npy",
                               "export UPSWEEP_BLOCK_BYTES=50; cat x.npy | \"$UPSWEEP\" histogram - "
                               "--weights w.npy -o sums.npy"}) {
        EXPECT_EQ(shell(script).words, "") << script;
        EXPECT_EQ(read("sums.npy"), read("want.npy")) << script;
    }
}

// Sums that round are made in C order, whatever the orders of the two files.
TEST_F(cli_histogram_weights, orders_of_files) {
    const std::size_t rows = 100, columns = 30;
    const std::vector<double> beside = weights<double>(3000);
    const auto turned = [&](const auto& of) {
        auto made = of;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < columns; ++k) made[k * rows + i] = of[i * columns + k];
        return made;
    };
    std::vector<std::int32_t> integers = weights<std::int32_t>(3000);
    write("xc.npy", npy_file("<f4", "100, 30", bytes_of(x_)));
    write("xf.npy", npy_file("<f4", "100, 30", bytes_of(turned(x_)), true));
    write("wc.npy", npy_file("<f8", "100, 30", bytes_of(beside)));
    write("wf.npy", npy_file("<f8", "100, 30", bytes_of(turned(beside)), true));
    write("ic.npy", npy_file("<i4", "100, 30", bytes_of(integers)));
    write("if.npy", npy_file("<i4", "100, 30", bytes_of(turned(integers)), true));
    const std::vector<std::uint32_t> found = bins_of(bin_range<float>{0, 8, 5}, x_);
    const std::string options = " --range 0:8 --bins 5 -o sums.npy";
    for (const char* x : {"xc.npy", "xf.npy"}) {
        for (const char* order : {"c", "f"}) {
            SCOPED_TRACE(std::string(x) + " " + order);
            succeed("histogram " + std::string(x) + " --weights w" + order + ".npy" + options);
            expect_npy(read("sums.npy"), "<f8", totals_of<double>(found, beside, 5, plus(), std::nullopt));
            EXPECT_EQ(shell("cat w" + std::string(order) + ".npy | \"$UPSWEEP\" histogram " + x +
                            " --weights -" + options)
                          .words,
                      "");
            expect_npy(read("sums.npy"), "<f8", totals_of<double>(found, beside, 5, plus(), std::nullopt));
            succeed("histogram " + std::string(x) + " --weights i" + order + ".npy" + options);
            expect_npy(read("sums.npy"), "<i8",
                       totals_of<std::int64_t>(found, integers, 5, plus(), std::nullopt));
        }
    }
}

TEST_F(cli_histogram_weights, raw_files) {
    const std::vector<std::int16_t> x{0, 1, 2, 3, 2}, beside{1, 20, 300, 4000, -7};
    write("x.raw", bytes_of(x, 2));
    write("w.raw", bytes_of(beside, 2));
    write("w.npy", npy_file("<f8", "5,", bytes_of<double>({0.5, 1, 2, 4, 8})));
    const std::string options = " --dtype '>i2' --range 0:4 --bins 2 -o sums.raw";
    succeed("histogram x.raw --weights w.raw" + options);
    EXPECT_EQ(read("sums.raw"), bytes_of<std::int64_t>({21, 4293}));
    EXPECT_EQ(shell("cat w.raw | \"$UPSWEEP\" histogram x.raw --weights -" + options).words, "");
    EXPECT_EQ(read("sums.raw"), bytes_of<std::int64_t>({21, 4293}));
    succeed("histogram x.raw --weights w.npy" + options);
    EXPECT_EQ(read("sums.raw"), bytes_of<double>({1.5, 14}));
}

// Of a table sums are int64 if all weights are, however late one shows that they are not.
TEST_F(cli_histogram_weights, tables) {
    for (const std::size_t real : {0u, 700u, 1'999u, 2'000u}) {
        SCOPED_TRACE("row " + std::to_string(real));
        random_bits random(real);
        std::ostringstream table;
        table << "name;w;x\n";
        std::vector<double> x(2000), reals(2000);
        std::vector<std::int64_t> integers(2000);
        for (std::size_t i = 0; i < 2000; ++i) {
            x[i] = static_cast<double>(random.below(90)) / 10;
            integers[i] = static_cast<std::int64_t>(random.below(1'000'000'000'000'000'000));
            reals[i] = i == real ? 0.1 : static_cast<double>(integers[i]);
            table << "\"a;b\";" << (i == real ? "0.1" : std::to_string(integers[i])) << ';' << x[i] << '\n';
        }
        write("t.csv", table.str());
        const auto check = [&](const std::string& range, const bin_range<double>& bins) {
            const std::vector<std::uint32_t> found = bins_of(bins, x);
            const std::string options =
                " --delimiter ';' --column x --weights w --bins 3 -o sums.npy" + range;
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=600"}) {
                if (*blocks == '\0' && (sanitized || real != 700)) continue;
                for (const char* from :
                     {"\"$UPSWEEP\" histogram t.csv", "cat t.csv | \"$UPSWEEP\" histogram -"}) {
                    EXPECT_EQ(shell(std::string("export ") + blocks + "; " + from + options).words, "");
                    if (real == 2'000)
                        expect_npy(read("sums.npy"), "<i8",
                                   totals_of<std::int64_t>(found, integers, 3, plus(), std::nullopt));
                    else
                        expect_npy(read("sums.npy"), "<f8",
                                   totals_of<double>(found, reals, 3, plus(), std::nullopt));
                }
            }
        };
        check(" --range 1:8", {1, 8, 3});
        check("", {0, 8.9, 3, true});
    }
}
TEST_F(cli_histogram_weights, columns) {
    write("t.csv", "day,rain,sun\n1,0.5,3\n2,-0.75,1\n3,2,4\n4,nan,1\n5,0.25,5\n");
    EXPECT_EQ(succeed("histogram t.csv --column day --weights rain --bins 2 --range 1:5 -o -"),
              "lower,upper,sum\n1,3,-0.25\n3,5,nan\n");
    succeed("histogram t.csv --column rain --weights sun --bins 3 --range 0:3 -o s.tsv");
    EXPECT_EQ(read("s.tsv"), "lower\tupper\tsum\n0\t1\t8\n1\t2\t0\n2\t3\t4\n");
    EXPECT_EQ(succeed("histogram t.csv --column day --weights day --edges 0,2.5,10,20 -o -"),
              "lower,upper,sum\n0,2.5,3\n2.5,10,12\n10,20,0\n");
    write("one.tsv", "3\t1\n5\t2\n");
    EXPECT_EQ(succeed("histogram one.tsv --no-header --column 1 --weights 2 --bins 1 --range 0:9 -o -"),
              "lower,upper,sum\n0,9,3\n");
    write("none.csv", "day,\n");
    EXPECT_EQ(succeed("histogram none.csv --column day --weights '' --bins 1 -o -"),
              "lower,upper,sum\n0,1,0\n");
}

// What people see. Negative sums have bars of their own; sums of nothing are 0 without a sign.
TEST_F(cli_histogram_weights, printed) {
    const double inf = std::numeric_limits<double>::infinity();
    write("x.npy", npy_file("<f4", "8,", bytes_of<float>({0, 1, 2, 3, 3, 4, 5, 9})));
    write("w.npy", npy_file("<f8", "8,", bytes_of<double>({0.25, -1, 8, 16, -0.5, inf, inf - inf, 1})));
    EXPECT_EQ(succeed("histogram x.npy --weights w.npy --bins 7 --range 0:7"),
              "from  below    sum\n"
              "   0     1    0.25  #\n"
              "   1     2      -1  ---\n"
              "   2     3       8  #########################\n"
              "   3     4    15.5  ################################################\n"
              "   4     5     inf  ################################################\n"
              "   5     6     nan\n"
              "   6     7       0\n"
              "1 of 8 values is in no bin\n");
    write("c.npy", npy_file("<c8", "8,", bytes_of(std::vector<std::complex<float>>(8, {1.5f, -2}))));
    EXPECT_EQ(succeed("histogram x.npy --weights c.npy --bins 2 --range 4:8"),
              "from  below    sum\n"
              "   4     6    3-4j\n"
              "   6     8    0+0j\n"
              "6 of 8 values are in no bin\n");
}

TEST_F(cli_histogram_weights, json_and_pictures) {
    write("i.npy", npy_file("<i2", "2, 2", bytes_of<std::int16_t>({0, 5, 9, 30})));
    write("w.npy", npy_file("<f4", "2, 2", bytes_of<float>({0.5f, 1, -3, 9})));
    const std::string report =
        succeed("histogram i.npy --weights w.npy --bins 3 --range 0:15 --json --plot s.svg");
    const std::string begin =
        R"({"file": "i.npy", "plot": "s.svg", "weights": "w.npy", "bins": 3, "clamp": false, )"
        R"("last_closed": false, "edges": [0, 5, 10, 15], "sums": [0.5, -2, 0], "dtype": "int16", )"
        R"("weights_dtype": "float32", "sums_dtype": "float32", "count": 4, "counted": 3, )"
        R"("shape": [2, 2], "seconds": )";
    EXPECT_EQ(report.substr(0, begin.size()), begin);
    EXPECT_NE(report.find(R"(, "bytes": 24, "bytes_per_second": )"), std::string::npos) << report;
    EXPECT_NE(read("s.svg").find(">Sum of w.npy by i.npy<"), std::string::npos);
    EXPECT_NE(read("s.svg").find(">sum of w.npy<"), std::string::npos);
    // A sum that is no number takes no bar but its own along.
    write("n.npy",
          npy_file("<f4", "2, 2", bytes_of<float>({0.5f, std::numeric_limits<float>::infinity(), 3, 9})));
    succeed("histogram i.npy --weights n.npy --edges 0,5,6,10 -o sums.npy --plot n.svg");
    std::string bars = read("n.svg");
    bars.erase(0, bars.find("<path fill=\"#0072b2\""));
    bars.erase(bars.find("/>"));
    EXPECT_EQ(std::count(bars.begin(), bars.end(), 'M'), 2) << bars;
}

TEST_F(cli_histogram_weights, errors) {
    write("x.npy", npy_file("<f8", "3,", bytes_of<double>({1, 2, 3})));
    write("w.npy", npy_file("<f8", "3,", bytes_of<double>({1, 2, 3})));
    write("four.npy", npy_file("<f8", "4,", bytes_of<double>({1, 2, 3, 4})));
    write("flat.npy", npy_file("<f8", "1, 3", bytes_of<double>({1, 2, 3})));
    write("c.npy", npy_file("<c8", "3,", std::string(24, '\0')));
    write("x.raw", bytes_of<double>({1, 2, 3}));
    write("four.raw", bytes_of<double>({1, 2, 3, 4}));
    write("odd.raw", "1234567");
    write("t.csv", "a,b,c\n1,2,3\n3,x,\n");
    write("old.npy", "the old output");
    const auto wrong = [&](int code, const std::string& arguments, const std::string& part) {
        fail(code, "histogram " + arguments + " -o old.npy", part);
        EXPECT_EQ(read("old.npy"), "the old output");
    };
    wrong(1, "x.npy --weights four.npy", "four.npy: weights of shape (4), but x.npy has shape (3)");
    wrong(1, "x.npy --weights flat.npy", "flat.npy: weights of shape (1, 3), but x.npy has shape (3)");
    wrong(1, "x.npy --weights four.raw", "four.raw: 4 weights, but x.npy has 3 elements");
    wrong(1, "x.npy --weights odd.raw", "odd.raw: 7 bytes are not a whole number of float64");
    wrong(1, "x.npy --weights no.npy", "no.npy: cannot be opened");
    wrong(1, "c.npy --weights x.npy", "c.npy: complex64 has no order, and so no bins");
    wrong(2, "x.npy --weights ''", "--weights: the file name is empty");
    wrong(2, "x.npy --weights t.csv", "--weights t.csv: expected a .npy or raw file, as INPUT is an array");
    wrong(2, "- --weights -", "--weights -: standard input is INPUT already");
    wrong(2, "t.csv --column a --weights d", "--weights \"d\": t.csv has no such column, but a, b, c");
    wrong(1, "t.csv --column a --weights b", "t.csv: line 3, column 2 (b): \"x\" is not a number");
    wrong(1, "t.csv --column a --weights c --range 0:1", "t.csv: line 3, column 3 (c): the cell is empty");
    for (const char* counts : {"x.raw four.raw more", "four.raw x.raw fewer"}) {
        std::istringstream words(counts);
        std::string in, beside, what;
        words >> in >> beside >> what;
        const outcome result =
            shell("cat " + in + " | \"$UPSWEEP\" histogram - --dtype f8 --weights " + beside + " -o old.npy");
        EXPECT_EQ(result.code, 1);
        EXPECT_NE(result.words.find(beside + ": " + what + " weights than standard input has elements"),
                  std::string::npos)
            << result.words;
        EXPECT_EQ(read("old.npy"), "the old output");
    }
    fail(1, "histogram x.npy --weights w.npy -o w.npy", "w.npy: is the input too");
    fail(2, "histogram x.npy --weights w.npy --plot w.npy", "expected a name that ends in .svg or .png");
    fail(2, "histogram x.npy --weights w.npy --json -o -", "name a file for the sums with -o");
    fail(2, "histogram x.npy --weights c.npy -o sums.csv", "complex results do not fit a table");
    fail(2, "histogram x.npy --weights c.npy --plot p.svg", "--plot draws real numbers; these are complex");
    EXPECT_EQ(files(), (std::vector<std::string>{"c.npy", "flat.npy", "four.npy", "four.raw", "odd.raw",
                                                 "old.npy", "t.csv", "w.npy", "x.npy", "x.raw"}));
}

}  // namespace
}  // namespace upsweep::test
