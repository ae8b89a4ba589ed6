// `upsweep reduce` of .csv and .tsv tables: columns, groups, counts, number types, blocks, pipes, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "support/build.hpp"
#include "support/cli.hpp"
#include "support/cli_numbers.hpp"

namespace upsweep::test {
namespace {

class cli_reduce_table : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("t.csv", "key,n,\"x, y\"\na,1,0.5\na,2,1\nb,3,-2\nb,4,1e3\nb,5,0.25\n");
    }
    // Rows of a key and a number, in groups of up to 13 rows; from row `first_real` on with fractions.
    [[nodiscard]] static std::string long_table(std::size_t rows, std::size_t first_real) {
        const auto fractions = numbers_near_one<double>(rows);
        std::string text = "key,n\n";
        for (std::size_t i = 0, group = 0, left = 0; i < rows; ++i) {
            if (left-- == 0) left = ++group * 7919 % 13;
            char number[40];
            if (i < first_real)
                std::snprintf(number, sizeof number, "%d", static_cast<int>(i * 31 % 1001) - 500);
            else
                std::snprintf(number, sizeof number, "%.17g", fractions[i]);
            text += "g" + std::to_string(group) + "," + number + "\n";
        }
        return text;
    }
    // The part of a JSON object that has total and groups.
    [[nodiscard]] static std::string told(const std::string& json) {
        const std::size_t first = json.find("\"total\""), last = json.find("\"seconds\"");
        EXPECT_LT(first, last) << json;
        return first < last && last != std::string::npos ? json.substr(first, last - first) : json;
    }
    // The last line of each group that `scan` writes, with the group's rows.
    [[nodiscard]] static std::string last_lines(const std::string& scanned) {
        std::string out, key, total;
        std::size_t rows = 0;
        const auto put = [&] {
            if (rows != 0) out += key + "," + total + "," + std::to_string(rows) + "\n";
        };
        for (std::size_t at = scanned.find('\n') + 1; at < scanned.size();) {
            const std::size_t end = scanned.find('\n', at);
            const std::string line = scanned.substr(at, end - at);
            if (const std::string next = line.substr(0, line.find(',')); next != key) {
                put();
                key = next;
                rows = 0;
            }
            total = line.substr(line.rfind(',') + 1);
            ++rows;
            at = end + 1;
        }
        put();
        return out;
    }
};

TEST_F(cli_reduce_table, the_total_of_a_column) {
    EXPECT_EQ(succeed("reduce t.csv --column n"), "n_sum\n15\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --count"), "n_sum,rows\n15,5\n");
    EXPECT_EQ(succeed("reduce t.csv --column 'x, y'"), "\"x, y_sum\"\n999.75\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --op multiplies --init -1"), "n_product\n-120\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --op maximum --dtype float32 -o -"), "n_maximum\n5\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --op bit_or"), "n_bit_or\n7\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --op logical_and"), "n_logical_and\n1\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" reduce - --column n").out, "n_sum\n15\n");
    write("n.tsv", "n\n1\n2\n");
    EXPECT_EQ(succeed("reduce n.tsv --count"), "n_sum\trows\n3\t2\n");
    write("n.csv", "5,1\n5,2\n");
    EXPECT_EQ(succeed("reduce n.csv --no-header --column 2"), "3\n");
    EXPECT_EQ(succeed("reduce n.csv --no-header --column 2 --by 1 --count"), "5,3,2\n");
    write("i.csv", ",n\n5,1\n5,2\n3,4\n");
    EXPECT_EQ(succeed("reduce i.csv --column '' --by ''"), ",_sum\n5,10\n3,3\n");
    succeed("reduce t.csv --column n -o out.npy");
    EXPECT_EQ(npy_header(read("out.npy")), "{'descr': '<i8', 'fortran_order': False, 'shape': (), }");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({15}));
    succeed("reduce t.csv --column n -o out.raw --dtype complex64");
    EXPECT_EQ(read("out.raw"), bytes_of<float>({15, 0}));
    succeed("reduce t.csv --column n -o out.tsv --by key");
    EXPECT_EQ(read("out.tsv"), "key\tn_sum\na\t3\nb\t12\n");
}

TEST_F(cli_reduce_table, a_total_for_each_group) {
    EXPECT_EQ(succeed("reduce t.csv --column n --by key"), "key,n_sum\na,3\nb,12\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --by key --count"), "key,n_sum,rows\na,3,2\nb,12,3\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --by key --init 10"), "key,n_sum\na,13\nb,22\n");
    EXPECT_EQ(succeed("reduce t.csv --column 'x, y' --by key --op minimum"),
              "key,\"x, y_minimum\"\na,0.5\nb,-2\n");
    EXPECT_EQ(succeed("reduce t.csv --column n --by n --count"),
              "n,n_sum,rows\n1,1,1\n2,2,1\n3,3,1\n4,4,1\n5,5,1\n");
    succeed("reduce t.csv --column n --by key -o out.npy");
    EXPECT_EQ(npy_header(read("out.npy")), "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({3, 12}));
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" reduce - --column n --by key").out, "key,n_sum\na,3\nb,12\n");
}

// How many bars an .svg has: the parts of one path.
std::ptrdiff_t bars_of(const std::string& picture) {
    const std::size_t first = picture.find("<path fill=\"#0072b2\"");
    if (first == std::string::npos) return 0;
    const std::string path = picture.substr(first, picture.find("/>", first) - first);
    return std::count(path.begin(), path.end(), 'M');
}

TEST_F(cli_reduce_table, pictures_of_groups) {
    EXPECT_EQ(succeed("reduce t.csv --column n --by key --plot p.svg"), "key,n_sum\na,3\nb,12\n");
    const std::string picture = read("p.svg");
    for (const char* words : {"Sum of n by key", "t.csv, 5 values in 2 groups", ">a<", ">b<"})
        EXPECT_NE(picture.find(words), std::string::npos) << words;
    EXPECT_EQ(bars_of(picture), 2) << picture;
    // A number that turns a column of integers into one of others leaves no bar of its integers behind.
    const std::string json = succeed("reduce t.csv --column 'x, y' --by n --op maximum --json --plot p.svg");
    EXPECT_NE(json.find(R"("file": "t.csv", "plot": "p.svg", )"), std::string::npos) << json;
    EXPECT_NE(read("p.svg").find("Maximum of x, y by n"), std::string::npos);
    EXPECT_EQ(bars_of(read("p.svg")), 5);
    succeed("reduce t.csv --column n --by key --plot p.png -o out.npy");
    EXPECT_EQ(read("p.png").substr(0, 4), "\x89PNG");
    // Of no groups, of some without a number, of more than have room.
    write("g.csv", "k,n\n");
    succeed("reduce g.csv --column n --by k --plot p.svg");
    EXPECT_EQ(bars_of(read("p.svg")), 0);
    write("g.csv", "k,n\na,nan\nb,2\nc,inf\n");
    succeed("reduce g.csv --column n --by k --op maximum --plot p.svg");
    EXPECT_EQ(bars_of(read("p.svg")), 1);
    for (const std::size_t groups : {400, 401}) {
        std::string table = "k,n\n";
        for (std::size_t g = 0; g < groups; ++g) table += std::to_string(g) + ",7\n";
        write("g.csv", table);
        succeed("reduce g.csv --column n --by k --plot p.svg -o out.csv");
        EXPECT_EQ(bars_of(read("p.svg")), groups == 400 ? 400 : 0);
        EXPECT_EQ(read("p.svg").find("runs of the same k") != std::string::npos, groups == 401);
    }
    fail(2, "reduce t.csv --column n --plot p.svg", "--plot draws the totals of groups: expected --by too");
    fail(2, "reduce t.csv --column n --by key --plot p.gif", "expected a name that ends in .svg or .png");
    fail(2, "reduce t.csv --column n --by key --dtype complex64 --plot p.svg -o out.npy",
         "--plot draws real");
    write("t.svg", read("t.csv"));
    fail(1, "reduce t.svg --format csv --column n --by key --plot t.svg", "t.svg: is the input too");
    EXPECT_EQ(read("t.svg"), read("t.csv"));
}

TEST_F(cli_reduce_table, text_of_keys_and_names) {
    write("q.csv", "\"a, b\",n\n\"x, \"\"y\"\"\",1\n\"x, \"\"y\"\"\",2\n\"two\nlines\",3\n,4\n,5\n\" \",6\n");
    EXPECT_EQ(succeed("reduce q.csv --column n --by 'a, b'"),
              "\"a, b\",n_sum\n\"x, \"\"y\"\"\",3\n\"two\nlines\",3\n,9\n\" \",6\n");
    write("taken.csv", "n_sum,n,rows\nk,1,r\nk,2,r\n");
    EXPECT_EQ(succeed("reduce taken.csv --column n --by n_sum"), "n_sum,n_sum_\nk,3\n");
    EXPECT_EQ(succeed("reduce taken.csv --column n --by rows --count"), "rows,n_sum,rows_\nr,3,2\n");
    write("k.csv", "k,n\na,1\nb,2\na,3\n");
    const outcome result = upsweep("reduce k.csv --column n --by k");
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out, "k,n_sum\na,1\nb,2\na,3\n");
    EXPECT_NE(result.words.find("line 4: \"a\" comes back"), std::string::npos) << result.words;
}

TEST_F(cli_reduce_table, tables_without_rows_or_with_one) {
    write("empty.csv", "n,m\n");
    EXPECT_EQ(succeed("reduce empty.csv --column n"), "n_sum\n0\n");
    EXPECT_EQ(succeed("reduce empty.csv --column n --count --op multiplies"), "n_product,rows\n1,0\n");
    EXPECT_EQ(succeed("reduce empty.csv --column n --op minimum"), "n_minimum\n9223372036854775807\n");
    EXPECT_EQ(succeed("reduce empty.csv --column n --dtype float64 --init 2.5"), "n_sum\n2.5\n");
    EXPECT_EQ(succeed("reduce empty.csv --column n --by m --count"), "m,n_sum,rows\n");
    succeed("reduce empty.csv --column n --by m -o out.npy");
    EXPECT_EQ(npy_header(read("out.npy")), "{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }");
    EXPECT_NE(succeed("reduce empty.csv --column n --by m --json").find(R"("total": null, "groups": [], )"),
              std::string::npos);
    write("one.csv", "n,m\n-0,x\n");
    EXPECT_EQ(succeed("reduce one.csv --column n"), "n_sum\n0\n");
    succeed("reduce one.csv --column n --by m -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<double>({-0.0}));
    write("nan.csv", "n,m\nnan,x\n2,x\n3,y\n");
    EXPECT_EQ(succeed("reduce nan.csv --column n --by m --op maximum"), "m,n_maximum\nx,nan\ny,3\n");
}

// Whether a column is one of integers is told by its last cell at the latest.
TEST_F(cli_reduce_table, integers_and_other_numbers) {
    write("i.csv", "k,n\na,9007199254740993\na,1\nb,1\n");
    EXPECT_EQ(succeed("reduce i.csv --column n"), "n_sum\n9007199254740995\n");
    EXPECT_EQ(succeed("reduce i.csv --column n --by k"), "k,n_sum\na,9007199254740994\nb,1\n");
    write("i.csv", "k,n\na,9007199254740993\na,1\nb,1.5\n");
    EXPECT_EQ(succeed("reduce i.csv --column n --by k"), "k,n_sum\na,9007199254740992\nb,1.5\n");
    EXPECT_EQ(succeed("reduce i.csv --column n --init 0.5"), "n_sum\n9007199254740994\n");
    // What does not fit one type is no error where the column is of the other.
    fail(2, "reduce i.csv --column n --op bit_or", "bit_or is not defined for float64");
    fail(2, "reduce t.csv --column n --init 1.5", "--init: \"1.5\" is not a value of type int64");
    fail(2, "reduce t.csv --column n --dtype complex64", "complex results do not fit a table");
}

// Blocks of rows that end within groups, of integers until the last block or throughout.
TEST_F(cli_reduce_table, long_tables_have_the_totals_of_scan) {
    for (const std::size_t rows : {4096u, 8192u, 30000u}) {
        if (sanitized && rows != 8192) continue;
        for (const std::size_t first_real : {std::size_t{0}, rows - 2, rows}) {
            SCOPED_TRACE(std::to_string(rows) + " " + std::to_string(first_real));
            write("long.csv", long_table(rows, first_real));
            const std::string want = last_lines(succeed("scan long.csv --column n --by key"));
            const std::string total = told(succeed("scan long.csv --column n --json -o out.csv"));
            const std::string groups = told(succeed("scan long.csv --column n --by key --json -o out.csv"));
            for (const char* blocks : {"", "UPSWEEP_BLOCK_BYTES=100", "UPSWEEP_BLOCK_BYTES=70000"}) {
                EXPECT_EQ(succeed("reduce long.csv --column n --by key --count", blocks),
                          "key,n_sum,rows\n" + want);
                EXPECT_EQ(told(succeed("reduce long.csv --column n --json", blocks)), total);
                EXPECT_EQ(told(succeed("reduce long.csv --column n --by key --json", blocks)), groups);
                if (sanitized) break;
            }
            succeed("scan long.csv --column n --init -3 --op minimum -o scanned.npy --dtype float64");
            succeed("reduce long.csv --column n --init -3 --op minimum -o out.npy --dtype float64",
                    "UPSWEEP_BLOCK_BYTES=1");
            const std::string scanned = npy_data(read("scanned.npy"));
            EXPECT_EQ(npy_data(read("out.npy")), scanned.substr(scanned.size() - 8));
        }
    }
    // One group, the initial value of which is not that of a column without groups.
    std::string one = "k,n\n";
    for (const double x : numbers_near_one<double>(9000)) {
        char line[40];
        std::snprintf(line, sizeof line, "k,%.17g\n", x);
        one += line;
    }
    write("one.csv", one);
    for (const char* by : {"", " --by k"}) {
        succeed(std::string("scan one.csv --column n --init 1e-3 -o scanned.npy") + by);
        succeed(std::string("reduce one.csv --column n --init 1e-3 -o out.npy") + by,
                "UPSWEEP_BLOCK_BYTES=1");
        const std::string scanned = npy_data(read("scanned.npy"));
        EXPECT_EQ(npy_data(read("out.npy")), scanned.substr(scanned.size() - 8));
    }
}

TEST_F(cli_reduce_table, what_json_tells) {
    const std::string json = succeed("reduce t.csv --column n --by key --json");
    EXPECT_EQ(json.find(R"({"file": "t.csv", "op": "plus", "dtype": "int64", "input_dtype": "int64", )"
                        R"("accumulator": "int64", "n": 5, "shape": [5], "axis": null, "total": null, )"
                        R"("groups": [{"key": "a", "n": 2, "total": 3}, {"key": "b", "n": 3, "total": 12}], )"
                        R"("seconds": )"),
              0u)
        << json;
    EXPECT_NE(json.find("\"bytes\": " + std::to_string(read("t.csv").size()) + ", "), std::string::npos);
    EXPECT_NE(succeed("reduce t.csv --column n --json -o out.csv").find(R"("output": "out.csv", )"),
              std::string::npos);
    EXPECT_EQ(read("out.csv"), "n_sum\n15\n");
    EXPECT_NE(succeed("reduce t.csv --column n --json --dtype complex64").find(R"("total": [15, 0], )"),
              std::string::npos);
}

TEST_F(cli_reduce_table, the_rainfall_of_seattle) {
    const std::string data = std::string(UPSWEEP_SOURCE_DIR) + "/data/seattle-weather.csv";
    EXPECT_EQ(succeed("reduce '" + data + "' --column precipitation --by year --count"),
              "year,precipitation_sum,rows\n" + last_lines([&] {
                  // Year and total alone, the year in front.
                  std::string text = succeed("scan '" + data + "' --column precipitation --by year");
                  std::string out;
                  for (std::size_t at = 0; at < text.size();) {
                      const std::size_t end = text.find('\n', at), first = text.find(',', at) + 1;
                      out += text.substr(first, end - first) + "\n";
                      at = end + 1;
                  }
                  return out;
              }()));
}

TEST_F(cli_reduce_table, errors_say_where) {
    write("bad.csv", "a,b\n1,2\n3,four\n");
    write("old.csv", "the old output");
    const auto before = files();
    const auto refused = [&](int code, const std::string& arguments, const std::string& part) {
        fail(code, "reduce " + arguments + " -o old.csv", part);
        EXPECT_EQ(read("old.csv"), "the old output") << arguments;
    };
    refused(1, "bad.csv --column b", "bad.csv: line 3, column 2 (b): \"four\" is not a number");
    refused(2, "t.csv", "say which column holds the numbers with --column; there are key, n, x, y");
    refused(2, "t.csv --column z", "--column \"z\": t.csv has no such column, but key, n, x, y");
    refused(2, "t.csv --column n --by z", "--by \"z\": t.csv has no such column");
    refused(2, "t.csv --column n --axis 0", "--axis is for arrays; a table is reduced down its --column");
    refused(2, "t.csv --column 'x, y' --op bit_or", "bit_or is not defined for float64");
    refused(2, "t.csv --column n --op sum", "--op \"sum\"");
    fail(2, "reduce t.csv --column n --count -o out.npy", "--count adds a column to a table");
    fail(2, "reduce t.csv --column n --json -o -", "name a file for the data with -o");
    fail(1, "reduce t.csv --column n -o t.csv", "t.csv: is the input too");
    fail(1, "reduce t.csv --column n -o absent/out.csv", "absent/out.csv: cannot be created");
    fail(1, "reduce t.csv --column n -o /dev/full", "/dev/full: cannot be written: No space left on device");
    EXPECT_EQ(files(), before);
    EXPECT_EQ(read("t.csv"), "key,n,\"x, y\"\na,1,0.5\na,2,1\nb,3,-2\nb,4,1e3\nb,5,0.25\n");
}

// As many groups as rows, of which those that wait go to a file.
TEST_F(cli_reduce_table, groups_wait_in_bounded_memory) {
    if (sanitized || emulated) GTEST_SKIP() << "sanitizers and emulators need memory of their own";
    const outcome result = shell(
        "(echo k,n; yes 'abcdefghij\nbcdefghijk' | head -n 4000000 | sed 's/$/klmnopqrstuvwxyz,1/') | "
        "(ulimit -v 200000; "
        "\"$UPSWEEP\" reduce - --format csv --column n --by k 2>/dev/null) | tail -n 1");
    EXPECT_EQ(result.out, "bcdefghijkklmnopqrstuvwxyz,1\n") << result.words;
}

}  // namespace
}  // namespace upsweep::test
