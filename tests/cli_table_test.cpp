// `upsweep scan` on .csv and .tsv tables: columns, groups, number types, JSON totals.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_table : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("t.csv", "key,n,\"x, y\"\na,1,0.5\na,2,1\nb,3,-2\nb,4,1e3\nb,5,0.25\n");
    }
};

TEST_F(cli_table, a_column_with_the_others_kept) {
    EXPECT_EQ(succeed("scan t.csv --column n"),
              "key,n,\"x, y\",n_sum\na,1,0.5,1\na,2,1,3\nb,3,-2,6\nb,4,1e3,10\nb,5,0.25,15\n");
    EXPECT_EQ(succeed("scan t.csv --column n --reverse --op multiplies"),
              "key,n,\"x, y\",n_product\na,1,0.5,120\na,2,1,120\nb,3,-2,60\nb,4,1e3,20\nb,5,0.25,5\n");
    EXPECT_EQ(
        succeed("scan t.csv --column 'x, y' --exclusive"),
        "key,n,\"x, y\",\"x, y_sum\"\na,1,0.5,0\na,2,1,0.5\nb,3,-2,1.5\nb,4,1e3,-0.5\nb,5,0.25,999.5\n");
}

TEST_F(cli_table, groups_start_afresh) {
    EXPECT_EQ(succeed("scan t.csv --column n --by key"),
              "key,n,\"x, y\",n_sum\na,1,0.5,1\na,2,1,3\nb,3,-2,3\nb,4,1e3,7\nb,5,0.25,12\n");
    EXPECT_EQ(succeed("scan t.csv --column n --by key --reverse --exclusive --init 10"),
              "key,n,\"x, y\",n_sum\na,1,0.5,12\na,2,1,10\nb,3,-2,19\nb,4,1e3,15\nb,5,0.25,10\n");
    EXPECT_EQ(
        succeed("scan t.csv --column 'x, y' --by key --op maximum"),
        "key,n,\"x, y\",\"x, y_maximum\"\na,1,0.5,0.5\na,2,1,1\nb,3,-2,-2\nb,4,1e3,1000\nb,5,0.25,1000\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" scan - --column n --by key").out,
              succeed("scan t.csv --column n --by key"));
}

TEST_F(cli_table, a_key_that_comes_back_is_told) {
    write("t.csv", "k,n\na,1\nb,2\na,3\n");
    const outcome result = upsweep("scan t.csv --column n --by k");
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out, "k,n,n_sum\na,1,1\nb,2,2\na,3,3\n");
    EXPECT_NE(result.words.find("line 4: \"a\" comes back"), std::string::npos) << result.words;
}

TEST_F(cli_table, other_formats) {
    write("t.tsv", "k\tn\na\t1\na\t2\n");
    EXPECT_EQ(succeed("scan t.tsv --column n"), "k\tn\tn_sum\na\t1\t1\na\t2\t3\n");
    write("n.csv", "n\n1\n2\n");
    EXPECT_EQ(succeed("scan n.csv"), "n,n_sum\n1,1\n2,3\n");
    write("n.csv", "5,1\n5,2\n");
    EXPECT_EQ(succeed("scan n.csv --no-header --column 2"), "5,1,1\n5,2,3\n");
    write("taken.csv", "n,n_sum\n1,0\n");
    EXPECT_EQ(succeed("scan taken.csv --column n"), "n,n_sum,n_sum_\n1,0,1\n");
    succeed("scan t.csv --column n --by key -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), bytes_of<std::int64_t>({1, 3, 3, 7, 12}));
    write("empty.csv", "n,m\n");
    EXPECT_EQ(succeed("scan empty.csv --column n"), "n,m,n_sum\n");
    EXPECT_EQ(succeed("scan t.csv --column n --dtype float32 --op minimum"),
              "key,n,\"x, y\",n_minimum\na,1,0.5,1\na,2,1,1\nb,3,-2,1\nb,4,1e3,1\nb,5,0.25,1\n");
}

// As pandas names the column of an index.
TEST_F(cli_table, a_column_without_a_name) {
    write("i.csv", ",n\n5,1\n5,2\n3,4\n");
    EXPECT_EQ(succeed("scan i.csv --column ''"), ",n,_sum\n5,1,5\n5,2,10\n3,4,13\n");
    EXPECT_EQ(succeed("scan i.csv --column n --by ''"), ",n,n_sum\n5,1,1\n5,2,3\n3,4,4\n");
    EXPECT_EQ(succeed("sort i.csv --column ''"), ",n\n3,4\n5,1\n5,2\n");
    EXPECT_EQ(succeed("compact i.csv --column '' --where 'x < 5'"), ",n\n3,4\n");
    EXPECT_EQ(succeed("bins i.csv --column '' --indices --bins 2"), "index\n2\n0\n1\n");
    EXPECT_NE(succeed("trace tree i.csv --column ''").find("3 int64 values"), std::string::npos);
    fail(2, "scan i.csv", "i.csv: say which column to scan with --column; there are \"\", n");
    fail(2, "scan i.csv --column m", "--column \"m\": i.csv has no such column, but \"\", n");
    fail(2, "scan t.csv --column ''", "--column \"\": t.csv has no such column, but key, n, x, y");
    fail(2, "scan t.csv --column n --by ''", "--by \"\": t.csv has no such column");
    write("x.npy", npy_file("<i4", "1,", bytes_of<std::int32_t>({1})));
    for (const char* option : {"--column ''", "--by ''"})
        fail(2, std::string("scan x.npy ") + option, "are for .csv and .tsv tables");
}

TEST_F(cli_table, groups_by_several_columns) {
    write("g.csv", "y,m,n\n1,a,1\n1,a,2\n1,b,3\n2,b,4\n2,\"\",5\n");
    EXPECT_EQ(succeed("scan g.csv --column n --by y --by m"),
              "y,m,n,n_sum\n1,a,1,1\n1,a,2,3\n1,b,3,3\n2,b,4,4\n2,,5,5\n");
    EXPECT_EQ(succeed("reduce --by m g.csv --column n --by y --count"),
              "m,y,n_sum,rows\na,1,3,2\nb,1,3,1\nb,2,4,1\n,2,5,1\n");
    for (const char* command : {"scan g.csv -o out.csv", "reduce g.csv"}) {
        const std::string json = succeed(std::string(command) + " --column n --by y --by m --json");
        EXPECT_NE(json.find(R"("groups": [{"key": ["1", "a"], "n": 2, "total": 3}, {"key": ["1", "b"], )"),
                  std::string::npos)
            << json;
    }
    succeed("reduce g.csv --column n --by y --by m --plot g.svg");
    EXPECT_NE(read("g.svg").find("Sum of n by y, m"), std::string::npos);
    EXPECT_NE(read("g.svg").find(">1, a<"), std::string::npos);
    succeed("scan g.csv --column n --by y --by m -o out.csv --plot g.svg");
    EXPECT_NE(read("g.svg").find(">2, b<"), std::string::npos);
    // Texts that look alike when they are put together.
    write("alike.csv", "a,b,n\nx y,z,1\nx,y z,2\nx y,z,3\n");
    const outcome told = shell("\"$UPSWEEP\" reduce alike.csv --column n --by a --by b");
    EXPECT_EQ(told.out, "a,b,n_sum\nx y,z,1\nx,y z,2\nx y,z,3\n");
    EXPECT_NE(told.words.find(R"(line 4: "x y", "z" comes back after other values of a, b)"),
              std::string::npos)
        << told.words;
    fail(2, "scan g.csv --column n --by y --by y", "--by \"y\": the column is named twice");
    fail(2, "reduce g.csv --column n --by y --by z", "--by \"z\": g.csv has no such column, but y, m, n");
}

TEST_F(cli_table, delimiters) {
    write("s.txt", "key;n;note\n\"a;b\";1;x,y\n\"a;b\";2;\n");
    EXPECT_EQ(succeed("scan s.txt --delimiter ';' --column n"),
              "key;n;note;n_sum\n\"a;b\";1;x,y;1\n\"a;b\";2;;3\n");
    succeed("scan s.txt --delimiter ';' --column n -o out.tsv");
    EXPECT_EQ(read("out.tsv"), "key\tn\tnote\tn_sum\na;b\t1\tx,y\t1\na;b\t2\t\t3\n");
    EXPECT_EQ(succeed("reduce s.txt --delimiter ';' --column n --by key"), "key;n_sum\n\"a;b\";3\n");
    EXPECT_EQ(succeed("compact s.txt --delimiter ';' --column n --where 'x > 1'"),
              "key;n;note\n\"a;b\";2;\n");
    EXPECT_EQ(succeed("sort s.txt --delimiter ';' --column n --descending"),
              "key;n;note\n\"a;b\";2;\n\"a;b\";1;x,y\n");
    EXPECT_EQ(succeed("histogram s.txt --delimiter ';' --column n --edges 1,2 -o -"),
              "lower;upper;count\n1;2;2\n");
    EXPECT_NE(succeed("trace tree s.txt --delimiter ';' --column n").find("2 int64 values"),
              std::string::npos);
    write("s.tsv", "key;n\n\"a;b\";2\n\"a;b\";1\n");
    for (const char* call : {"sort s.tsv --column n", "compact s.tsv --column n --where 'x < 2'"}) {
        succeed(std::string(call) + " --delimiter ';' -o out.tsv");
        EXPECT_EQ(read("out.tsv").substr(0, 12), "key\tn\na;b\t1\n");
        succeed(std::string(call) + " --delimiter ';' -o out.csv");
        EXPECT_EQ(read("out.csv").substr(0, 14), "key;n\n\"a;b\";1\n");
    }
    write("t.csv", "a\tn\n1\t2\n");
    for (const char* tab : {"tab", "'\\t'", "\"$(printf '\\t')\""}) {
        EXPECT_EQ(succeed(std::string("scan t.csv --column n --delimiter ") + tab), "a\tn\tn_sum\n1\t2\t2\n");
    }
    succeed("scan t.csv --column n --format tsv -o out.csv");
    EXPECT_EQ(read("out.csv"), "a,n,n_sum\n1,2,2\n");
    for (const char* wrong : {"';;'", "5", "a", "'\"'", "-", "."})
        fail(2, std::string("scan t.csv --column n --delimiter ") + wrong,
             "expected one character such as ; or |");
    write("x.npy", npy_file("<i4", "1,", bytes_of<std::int32_t>({1})));
    for (const char* call : {"scan x.npy", "reduce x.npy", "sort x.npy", "histogram x.npy",
                             "bins x.npy --indices", "compact x.npy --where 'x < 5'"})
        fail(2, std::string(call) + " --delimiter ';'", "--delimiter is for .csv and .tsv tables");
}

TEST_F(cli_table, totals_of_groups_in_json) {
    for (const char* how : {"", " --exclusive", " --reverse", " --reverse --exclusive"}) {
        SCOPED_TRACE(how);
        const std::string json =
            succeed(std::string("scan t.csv --column n --by key --json -o out.csv") + how);
        EXPECT_NE(
            json.find(R"("groups": [{"key": "a", "n": 2, "total": 3}, {"key": "b", "n": 3, "total": 12}])"),
            std::string::npos)
            << json;
    }
}

TEST_F(cli_table, errors_say_where) {
    write("bad.csv", "a,b\n1,2\n3,four\n");
    fail(1, "scan bad.csv --column b -o out.csv", "bad.csv: line 3, column 2 (b): \"four\" is not a number");
    write("bad.csv", "a,b\n1,\n");
    fail(1, "scan bad.csv --column b", "line 2, column 2 (b)");
    write("bad.csv", "a,b\n1,2,3\n");
    fail(1, "scan bad.csv --column b", "line 2");
    fail(2, "scan t.csv", "say which column to scan with --column; there are key, n, x, y");
    fail(2, "scan t.csv --column z", "--column \"z\": t.csv has no such column, but key, n, x, y");
    fail(2, "scan t.csv --column n --by z", "--by \"z\"");
    fail(2, "scan t.csv --column n --axis 0", "--axis is for arrays");
    fail(2, "scan t.csv --column 'x, y' --op bit_or", "bit_or is not defined for float64");
    fail(2, "scan t.csv --column n --init 1.5", "--init: \"1.5\"");
    EXPECT_EQ(files(), (std::vector<std::string>{"bad.csv", "t.csv"}));
}

TEST_F(cli_table, pictures) {
    succeed("scan t.csv --column n --plot p.svg -o out.csv");
    EXPECT_NE(read("p.svg").find("Running sum of n"), std::string::npos);
    succeed("scan t.csv --column n --by key --plot p.svg -o out.csv");
    EXPECT_NE(read("p.svg").find("Running sum of n by key"), std::string::npos);
    EXPECT_NE(read("p.svg").find("row within each key"), std::string::npos);
    succeed("scan t.csv --column n --by key --plot p.png -o out.csv");
    EXPECT_EQ(read("p.png").substr(0, 4), "\x89PNG");
}

TEST_F(cli_table, the_rainfall_of_seattle) {
    const std::string data = std::string(UPSWEEP_SOURCE_DIR) + "/data/seattle-weather.csv";
    const std::string json =
        succeed("scan '" + data + "' --column precipitation --by year --json -o rain.csv");
    EXPECT_NE(json.find(R"({"key": "2012", "n": 366, "total": 1226})"), std::string::npos) << json;
    EXPECT_NE(json.find(R"({"key": "2013", "n": 365, "total": 828})"), std::string::npos) << json;
    EXPECT_NE(read("rain.csv").find("2012-01-03,2012,0.8,11.7,7.2,2.3,rain,11.700000000000001\n"),
              std::string::npos);
}

TEST_F(cli_table, line_ends_stay) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        SCOPED_TRACE(end.size() == 1 ? (end == "\r" ? "CR" : "LF") : "CRLF");
        const auto lines = [&](std::vector<std::string> rows) {
            std::string text;
            for (const std::string& row : rows) text += row + end;
            return text;
        };
        write("e.csv", lines({"n,m", "2,a", "1,\"b,c\""}));
        EXPECT_EQ(succeed("scan e.csv --column n"), lines({"n,m,n_sum", "2,a,2", "1,\"b,c\",3"}));
        succeed("scan e.csv --column n -o e.tsv");
        EXPECT_EQ(read("e.tsv"), lines({"n\tm\tn_sum", "2\ta\t2", "1\tb,c\t3"}));
        EXPECT_EQ(succeed("sort e.csv --column n"), lines({"n,m", "1,\"b,c\"", "2,a"}));
        for (const char* command : {"sort e.csv --column n", "partition e.csv --where 'n < 2'"}) {
            succeed(std::string(command) + " -o e.tsv");
            EXPECT_EQ(read("e.tsv"), lines({"n\tm", "1\tb,c", "2\ta"})) << command;
        }
        write("h.csv", "5" + end + "6");  // the last one as the one before
        EXPECT_EQ(succeed("scan h.csv --no-header"), lines({"5,5", "6,11"}));
    }
}

// Sums are computed in the type of the result, maxima in that of the input.
TEST_F(cli_table, where_dtype_converts) {
    write("wide.csv", "n\n300\n5\n8589934593\n7\n");
    EXPECT_EQ(succeed("scan wide.csv --op maximum --dtype int32"),
              "n,n_maximum\n300,300\n5,300\n8589934593,1\n7,1\n");
    EXPECT_EQ(succeed("scan wide.csv --dtype int32"), "n,n_sum\n300,300\n5,305\n8589934593,306\n7,313\n");
    EXPECT_EQ(succeed("reduce wide.csv --op maximum --dtype int32"), "n_maximum\n1\n");
    EXPECT_EQ(succeed("reduce wide.csv --op bit_or --dtype uint8"), "n_bit_or\n47\n");
}

}  // namespace
}  // namespace upsweep::test
