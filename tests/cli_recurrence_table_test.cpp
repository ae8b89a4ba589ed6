// `upsweep recurrence` on .csv and .tsv tables: columns, groups, coefficients in a column, pictures; and what
// is refused, of arrays too.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "support/cli.hpp"
#include "support/recurrence_reference.hpp"

namespace upsweep::test {
namespace {

class cli_recurrence_table : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("t.csv", "key,n,r\na,4,1\na,2,0.5\nb,8,2\nb,1,-1\nb,0,3\n");
        write("x.npy", npy_file("<f4", "3,", bytes_of<float>({1, 2, 3})));
        write("old.npy", "the old output");
    }
    void fail_and_keep(int code, const std::string& arguments, const std::string& part) const {
        const auto before = files();
        fail(code, "recurrence " + arguments + " -o old.npy", part);
        EXPECT_EQ(read("old.npy"), "the old output");
        EXPECT_EQ(files(), before);
    }
};

TEST_F(cli_recurrence_table, a_column_with_the_others_kept) {
    EXPECT_EQ(succeed("recurrence t.csv --column n --coefficient 0.5"),
              "key,n,r,n_recurrence\na,4,1,4\na,2,0.5,4\nb,8,2,10\nb,1,-1,6\nb,0,3,3\n");
    EXPECT_EQ(succeed("recurrence t.csv --column n --coefficients r --init 1"),
              "key,n,r,n_recurrence\na,4,1,5\na,2,0.5,4.5\nb,8,2,17\nb,1,-1,-16\nb,0,3,-48\n");
    EXPECT_EQ(succeed("recurrence t.csv --column n --smooth 0.5 --reverse"),
              "key,n,r,n_smooth\na,4,1,3.5625\na,2,0.5,3.125\nb,8,2,4.25\nb,1,-1,0.5\nb,0,3,0\n");
    write("taken.csv", "n,n_smooth\n1,0\n");
    EXPECT_EQ(succeed("recurrence taken.csv --column n --smooth 1"), "n,n_smooth,n_smooth_\n1,0,1\n");
    write("n.csv", "1\n2\n");
    EXPECT_EQ(succeed("recurrence n.csv --no-header --coefficient 2"), "1,1\n2,4\n");
    EXPECT_EQ(succeed("recurrence n.csv --no-header --coefficients 1"), "1,1\n2,4\n");
    write("empty.csv", "n,m\n");
    EXPECT_EQ(succeed("recurrence empty.csv --column n --smooth 0.5"), "n,m,n_smooth\n");
    EXPECT_EQ(succeed("recurrence empty.csv --column n --coefficients m"), "n,m,n_recurrence\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" recurrence - --column n --coefficients r --by key").out,
              succeed("recurrence t.csv --column n --coefficients r --by key"));
    succeed("recurrence t.csv --column n --coefficient 0.5 -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<double>({4, 4, 10, 6, 3}));
    EXPECT_EQ(succeed("recurrence t.csv --column n --coefficient 0.5 --dtype float32"),
              "key,n,r,n_recurrence\na,4,1,4\na,2,0.5,4\nb,8,2,10\nb,1,-1,6\nb,0,3,3\n");
}

TEST_F(cli_recurrence_table, groups_start_afresh) {
    EXPECT_EQ(succeed("recurrence t.csv --column n --coefficients r --init 10 --by key"),
              "key,n,r,n_recurrence\na,4,1,14\na,2,0.5,9\nb,8,2,28\nb,1,-1,-27\nb,0,3,-81\n");
    EXPECT_EQ(succeed("recurrence t.csv --column n --smooth 0.5 --by key"),
              "key,n,r,n_smooth\na,4,1,4\na,2,0.5,3\nb,8,2,8\nb,1,-1,4.5\nb,0,3,2.25\n");
    EXPECT_EQ(succeed("recurrence t.csv --column n --smooth 0.5 --by key --reverse"),
              "key,n,r,n_smooth\na,4,1,3\na,2,0.5,2\nb,8,2,4.25\nb,1,-1,0.5\nb,0,3,0\n");
    for (const char* how : {"", " --reverse"}) {
        const std::string json = succeed(
            std::string("recurrence t.csv --column n --coefficient 0.5 --by key --json -o out.csv") + how);
        const std::string groups =
            *how == '\0'
                ? R"("groups": [{"key": "a", "n": 2, "last": 4}, {"key": "b", "n": 3, "last": 2.5}])"
                : R"("groups": [{"key": "a", "n": 2, "last": 5}, {"key": "b", "n": 3, "last": 8.5}])";
        EXPECT_NE(json.find(groups), std::string::npos) << json;
        EXPECT_NE(json.find(R"("last": null)"), std::string::npos) << json;
    }
    write("g.csv", "y,m,n\n1,a,1\n1,a,2\n1,b,3\n2,b,4\n");
    EXPECT_EQ(succeed("recurrence g.csv --column n --coefficient 2 --by y --by m"),
              "y,m,n,n_recurrence\n1,a,1,1\n1,a,2,4\n1,b,3,3\n2,b,4,4\n");
}

// Groups longer than a tile have the bits of the sequence alone.
TEST_F(cli_recurrence_table, long_groups) {
    std::string text = "k,x,a\n";
    std::vector<double> x[2], a[2];
    for (int i = 0; i < 11000; ++i) {
        const int group = i < 5003 ? 0 : 1;
        x[group].push_back(i % 37 / 8.0);
        a[group].push_back(i % 11 / 16.0);
        text += std::to_string(group) + "," + std::to_string(x[group].back()) + "," +
                std::to_string(a[group].back()) + "\n";
    }
    write("long.csv", text);
    std::string want, smooth;
    for (int group = 0; group < 2; ++group) {
        want += bytes_of(recurred<double>(a[group], x[group], 0.0));
        smooth += bytes_of(smoothed<double, double>(0.1, x[group]));
    }
    succeed("recurrence long.csv --column x --coefficients a --by k -o out.npy");
    EXPECT_TRUE(npy_data(read("out.npy")) == want);
    succeed("recurrence long.csv --column x --smooth 0.1 --by k -o out.npy --threads 1",
            "UPSWEEP_SIMD=portable");
    EXPECT_TRUE(npy_data(read("out.npy")) == smooth);
}

TEST_F(cli_recurrence_table, pictures) {
    succeed("recurrence t.csv --column n --smooth 0.25 --plot p.svg -o out.csv");
    EXPECT_NE(read("p.svg").find("Exponential smoothing by 0.25 of n"), std::string::npos);
    succeed("recurrence t.csv --column n --coefficients r --by key --reverse --plot p.svg -o out.csv");
    EXPECT_NE(read("p.svg").find("Recurrence by r from the end of n by key"), std::string::npos);
    EXPECT_NE(read("p.svg").find("row within each key"), std::string::npos);
    write("a.npy", npy_file("<f4", "3,", bytes_of<float>({1, 2, 3})));
    succeed("recurrence x.npy --coefficients ./a.npy --plot p.png -o out.npy");
    EXPECT_EQ(read("p.png").substr(0, 4), "\x89PNG");
}

TEST_F(cli_recurrence_table, the_temperature_of_seattle) {
    const std::string data = std::string(UPSWEEP_SOURCE_DIR) + "/data/seattle-weather.csv";
    const std::string table = succeed("recurrence '" + data + "' --column temp_max --smooth 0.1");
    EXPECT_NE(table.find(",temp_max_smooth\n"), std::string::npos);
    EXPECT_NE(table.find("2012-01-01,2012,0.0,12.8,5.0,4.7,drizzle,12.8\n"), std::string::npos)
        << table.substr(0, 300);
    const std::string json =
        succeed("recurrence '" + data + "' --column temp_max --smooth 0.1 --by year --json -o out.csv");
    EXPECT_NE(json.find(R"({"key": "2012", "n": 366, "last": )"), std::string::npos) << json;
}

TEST_F(cli_recurrence_table, wrong_usage) {
    fail_and_keep(2, "x.npy", "none of --coefficient, --coefficients and --smooth; expected one");
    fail_and_keep(2, "x.npy --coefficient 1 --smooth 0.5", "several of --coefficient, --coefficients and");
    fail(2, "recurrence x.npy --coefficient", "--coefficient: A is missing");
    fail_and_keep(2, "x.npy --coefficient ''", "--coefficient: A is missing");
    fail_and_keep(2, "x.npy --coefficients ''", "--coefficients: the file name is empty");
    for (const char* word : {"half", "1/2", "1e", "0x1", "1j"})
        fail_and_keep(2, std::string("x.npy --coefficient ") + word, "--coefficient: \"");
    fail_and_keep(2, "x.npy --coefficient 1e300", "--coefficient: \"1e300\" does not fit float32");
    fail_and_keep(2, "x.npy --coefficient 1e999", "--coefficient: \"1e999\" does not fit");
    fail_and_keep(2, "x.npy --coefficient 1 --init x", "--init: \"x\" is not a value of type");
    for (const char* word : {"0", "-0.5", "1.0000001", "nan", "inf"})
        fail_and_keep(2, std::string("x.npy --smooth ") + word,
                      "--smooth " + std::string(word) + ": expected a number above 0 and at most 1");
    fail_and_keep(2, "x.npy --smooth 1e-60", "--smooth: \"1e-60\" does not fit float32");
    fail_and_keep(2, "x.npy --smooth a", "--smooth: \"a\" is not a value of type");
    fail_and_keep(2, "x.npy --coefficient 1 --dtype int32",
                  "x.npy: int32: results of recurrences are floating-point numbers");
    fail_and_keep(2, "x.npy --coefficient 1 --dtype complex64", "complex64: results of recurrences are");
    fail_and_keep(2, "x.npy --coefficient 1 --accumulate float16", "float16 accumulates in float32");
    fail_and_keep(2, "x.npy --coefficient 1 --accumulate int64", "computed in float32 or float64");
    fail_and_keep(2, "x.npy --coefficient 1 --axis 1", "--axis 1: x.npy has 1 dimension");
    fail_and_keep(2, "x.npy --coefficient 1 --column n", "are for .csv and .tsv tables");
    fail_and_keep(2, "x.npy --coefficient 1 --device cpu", "unknown argument");
    fail_and_keep(2, "x.npy --coefficient 1 --threads 0", "--threads 0: expected");
    fail_and_keep(2, "x.npy --coefficients t.csv", "--coefficients t.csv: expected a .npy or raw file");
    fail_and_keep(2, "t.csv --coefficient 1", "say which column to scan with --column");
    fail_and_keep(2, "t.csv --column n --coefficients q",
                  "--coefficients \"q\": t.csv has no such column, but key, n, r");
    fail_and_keep(2, "t.csv --column n --coefficient 1 --axis 0", "a table is evaluated down its --column");
    write("m.npy", npy_file("<f4", "2, 2", bytes_of<float>({1, 2, 3, 4})));
    fail_and_keep(2, "m.npy --coefficient 1", "say which one to scan along with --axis");
    write("c.npy", npy_file("<c8", "1,", bytes_of<std::complex<float>>({{1, 2}})));
    fail_and_keep(2, "c.npy --coefficient 1", "c.npy: complex64: recurrences are of real numbers");
    write("one.npy", npy_file("<f4", "1,", bytes_of<float>({1})));
    fail_and_keep(2, "one.npy --coefficients c.npy",
                  "complex64: coefficients of recurrences are real numbers");
    EXPECT_EQ(shell("cat x.npy | \"$UPSWEEP\" recurrence - --coefficients - -o old.npy").code, 2);
    EXPECT_EQ(shell("cat x.npy | \"$UPSWEEP\" recurrence - --input-dtype f4 --format raw --reverse "
                    "--coefficient 1 -o old.npy")
                  .code,
              2);
    EXPECT_EQ(read("old.npy"), "the old output");
}

TEST_F(cli_recurrence_table, files_that_do_not_fit) {
    write("two.npy", npy_file("<f4", "2,", bytes_of<float>({1, 2})));
    fail_and_keep(1, "x.npy --coefficients two.npy",
                  "two.npy: coefficients of shape (2), but x.npy has shape (3)");
    write("m.npy", npy_file("<f4", "2, 3", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("f.npy", npy_file("<f4", "2, 3", bytes_of<float>({1, 2, 3, 4, 5, 6}), true));
    fail_and_keep(1, "m.npy --axis 0 --coefficients f.npy",
                  "f.npy: coefficients in Fortran order, but m.npy is in C order");
    write("flat.raw", bytes_of<float>({1, 2, 3, 4, 5, 6}));
    succeed("recurrence m.npy --axis 0 --coefficients flat.raw -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<float>({1, 2, 3, 8, 15, 24}));
    fail_and_keep(1, "x.npy --coefficients flat.raw", "flat.raw: 6 coefficients, but x.npy has 3 elements");
    write("odd.raw", "12345");
    fail_and_keep(1, "x.npy --coefficients odd.raw", "odd.raw: 5 bytes are not a whole number of float32");
    fail_and_keep(1, "x.npy --coefficients absent.npy", "absent.npy: ");
    write("bad.npy", "not an array");
    fail_and_keep(1, "x.npy --coefficients bad.npy", "bad.npy: ");
    write("bad.csv", "n,r\n1,2\n3,x\n");
    fail_and_keep(1, "bad.csv --column n --coefficients r",
                  "bad.csv: line 3, column 2 (r): \"x\" is not a number");
    write("a.npy", npy_file("<f4", "3,", bytes_of<float>({1, 2, 3})));
    fail(1, "recurrence x.npy --coefficient 1 -o x.npy", "x.npy: is the input too");
    fail(1, "recurrence x.npy --coefficients a.npy -o a.npy", "a.npy: is the input too");
    EXPECT_EQ(npy_data(read("a.npy")), bytes_of<float>({1, 2, 3}));
    succeed("recurrence x.npy --coefficients x.npy -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<float>({1, 4, 15}));
}

}  // namespace
}  // namespace upsweep::test
