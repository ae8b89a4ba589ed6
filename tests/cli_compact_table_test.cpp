// `upsweep compact` and `upsweep partition` of tables: rows keep their text, numbers are compared exactly.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/build.hpp"
#include "support/cli.hpp"

namespace upsweep::test {
namespace {

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
    for (std::size_t row = 0; row < repetitions(60'000, 20'000); ++row) {
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

}  // namespace
}  // namespace upsweep::test
