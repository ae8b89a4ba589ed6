// `upsweep sort` of arrays and tables: types, byte orders, pipes, text that stays as it is, errors.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/cli.hpp"
#include "support/sorted.hpp"

namespace upsweep::test {
namespace {

class cli_sort : public cli_test {
  protected:
    // Elements and indices, both directions and byte orders, file and pipe, one block and many.
    template <class T>
    void check(const std::string& code, const std::string& raw_type) const {
        SCOPED_TRACE(raw_type);
        const std::vector<T> x = keys_of<T>(sizeof(T) == 1 ? "any bits" : "special", 3'001, 5);
        const std::string mark = sizeof(T) == 1 ? "|" : "<";
        write("little.npy", npy_file(mark + code, "3001,", bytes_of(x)));
        write("big.npy", npy_file((sizeof(T) == 1 ? "|" : ">") + code, "3001,", bytes_of(x, sizeof(T))));
        write("x.raw", bytes_of(x));
        for (const bool descending : {false, true}) {
            const std::vector<std::size_t> order = sorted_indices(x, descending);
            const std::vector<std::int64_t> places(order.begin(), order.end());
            const std::vector<T> expected = taken(x, order);
            const std::string options = descending ? " --descending" : "";
            EXPECT_EQ(succeed("sort little.npy -o out.npy" + options), "");
            expect_npy(read("out.npy"), mark + code, expected);
            EXPECT_EQ(succeed("sort big.npy -o out.npy --threads 2" + options), "");
            expect_npy(read("out.npy"), mark + code, expected);
            EXPECT_EQ(succeed("sort big.npy --indices -o out.npy" + options), "");
            expect_npy(read("out.npy"), "<i8", places);
            std::string script = "cat x.raw | UPSWEEP_BLOCK_BYTES=1000 \"$UPSWEEP\" sort - --dtype ";
            script.append(raw_type).append(options);
            const outcome piped = shell(script);
            EXPECT_EQ(piped.words, "");
            EXPECT_TRUE(piped.out == bytes_of(expected));
        }
    }
};

TEST_F(cli_sort, arrays) {
    check<std::uint8_t>("u1", "uint8");
    check<std::int16_t>("i2", "int16");
    check<float16>("f2", "float16");
    check<float>("f4", "float32");
    check<std::int64_t>("i8", "int64");
    check<double>("f8", "float64");
}
TEST_F(cli_sort, arrays_of_few) {
    write("none.npy", npy_file("<f8", "0,", ""));
    succeed("sort none.npy -o out.npy");
    EXPECT_EQ(read("out.npy"), read("none.npy"));
    write("truth.npy", npy_file("|b1", "4,", std::string("\1\0\1\0", 4)));
    succeed("sort truth.npy -o out.npy");
    EXPECT_EQ(npy_data(read("out.npy")), std::string("\0\0\1\1", 4));
}

TEST_F(cli_sort, rows_keep_their_text) {
    write("t.csv", "key,n,\"x, y\"\na,10,0.5\n\"b \"\"c\"\"\", 2 ,1\n\"d\",3,-2\ne,2,1e3\nf,-5,nan\n");
    EXPECT_EQ(succeed("sort t.csv --column n"),
              "key,n,\"x, y\"\nf,-5,nan\n\"b \"\"c\"\"\", 2 ,1\ne,2,1e3\n\"d\",3,-2\na,10,0.5\n");
    EXPECT_EQ(succeed("sort t.csv --column n --descending"),
              "key,n,\"x, y\"\na,10,0.5\n\"d\",3,-2\n\"b \"\"c\"\"\", 2 ,1\ne,2,1e3\nf,-5,nan\n");
    EXPECT_EQ(succeed("sort t.csv --column 'x, y' --indices"), "index\n2\n0\n1\n3\n4\n");
    EXPECT_EQ(shell("cat t.csv | \"$UPSWEEP\" sort - --column n").out, succeed("sort t.csv --column n"));
    succeed("sort t.csv --column n -o out.tsv");
    EXPECT_EQ(read("out.tsv"),
              "key\tn\tx, y\nf\t-5\tnan\n\"b \"\"c\"\"\"\t\" 2 \"\t1\ne\t2\t1e3\nd\t3\t-2\na\t10\t0.5\n");
    succeed("sort t.csv --column n --indices -o out.npy");
    EXPECT_EQ(elements_of<std::int64_t>(npy_data(read("out.npy"))),
              (std::vector<std::int64_t>{4, 1, 3, 2, 0}));
}
TEST_F(cli_sort, tables_of_all_kinds) {
    write("t.csv", "\xef\xbb\xbfn,text\r\n3,\"two\r\nlines\"\r\n2,b\r\n1,c");
    EXPECT_EQ(succeed("sort t.csv --column n"), "n,text\r\n1,c\r\n2,b\r\n3,\"two\r\nlines\"\r\n");
    write("t.csv", "5,a\n3,b\n");
    EXPECT_EQ(succeed("sort t.csv --no-header --column 1"), "3,b\n5,a\n");
    write("t.csv", "n\n");
    EXPECT_EQ(succeed("sort t.csv"), "n\n");
    // Integers that doubles do not hold, as such; and beside others in float64.
    write("t.csv", "n\n9007199254740993\n9007199254740992\n");
    EXPECT_EQ(succeed("sort t.csv"), "n\n9007199254740992\n9007199254740993\n");
    write("t.csv", "n\n9007199254740993\n9007199254740992\n0.5\n");
    EXPECT_EQ(succeed("sort t.csv"), "n\n0.5\n9007199254740993\n9007199254740992\n");
}

TEST_F(cli_sort, rows_by_text) {
    write("t.csv", "who,n\nb,1\na,2\n\"b\",3\nB,4\n\xc3\xa9,5\n,6\n10,7\n9,8\n");
    EXPECT_EQ(succeed("sort t.csv --column who --text"),
              "who,n\n,6\n10,7\n9,8\nB,4\na,2\nb,1\n\"b\",3\n\xc3\xa9,5\n");
    EXPECT_EQ(succeed("sort t.csv --column who --text --descending"),
              "who,n\n\xc3\xa9,5\nb,1\n\"b\",3\na,2\nB,4\n9,8\n10,7\n,6\n");
    EXPECT_EQ(succeed("sort t.csv --column who --text --indices"), "index\n5\n6\n7\n3\n1\n0\n2\n4\n");
    EXPECT_EQ(shell("\"$UPSWEEP\" sort t.csv --column who --text | "
                    "\"$UPSWEEP\" reduce - --format csv --by who --column n | grep b")
                  .out,
              "b,4\n");
    const std::string told = succeed("sort t.csv --column who --text -o out.csv --json");
    EXPECT_NE(told.find("\"input_dtype\": \"text\", \"count\": 8"), std::string::npos) << told;
    write("t.csv", "who\n");
    EXPECT_EQ(succeed("sort t.csv --text"), "who\n");
    write("x.npy", npy_file("<f4", "1,", "xxxx"));
    fail(2, "sort x.npy --text -o out.npy", "--text: it is for the column of a table");
}

// Each run of rows with the same text in the columns of --by by itself.
TEST_F(cli_sort, rows_of_each_group) {
    write("t.csv", "year,who,n\n2001,a,3\n2001,a,-1\n2001,b,2\n2002,b,9\n2002,b,nan\n2002,b,0.5\n2001,b,1\n");
    EXPECT_EQ(succeed("sort t.csv --by who --column n"),
              "year,who,n\n2001,a,-1\n2001,a,3\n2002,b,0.5\n2001,b,1\n2001,b,2\n2002,b,9\n2002,b,nan\n");
    const outcome twice = shell("\"$UPSWEEP\" sort t.csv --by year --by who --column n --descending");
    EXPECT_EQ(twice.out,
              "year,who,n\n2001,a,3\n2001,a,-1\n2001,b,2\n2002,b,nan\n2002,b,9\n2002,b,0.5\n2001,b,1\n");
    EXPECT_NE(twice.words.find("2001"), std::string::npos) << "no note of the group that comes back";
    EXPECT_EQ(shell("\"$UPSWEEP\" sort t.csv --by year --column n --indices").out,
              "index\n1\n2\n0\n5\n3\n4\n6\n");
    EXPECT_EQ(shell("\"$UPSWEEP\" sort t.csv --by year --column who --text --descending --indices").out,
              "index\n2\n0\n1\n3\n4\n5\n6\n");
    const std::string told = succeed("sort t.csv --by who --column n -o out.csv --json");
    EXPECT_NE(told.find("\"count\": 7, \"groups\": 2, \"shape\": [7]"), std::string::npos) << told;
    write("t.csv", "year,n\n");
    EXPECT_EQ(succeed("sort t.csv --by year --column n"), "year,n\n");
    EXPECT_EQ(succeed("sort t.csv --by year --column n --text"), "year,n\n");
    fail(2, "sort t.csv --by month --column n", "--by \"month\": t.csv has no such column");
    write("x.npy", npy_file("<f4", "1,", "xxxx"));
    fail(2, "sort x.npy --by year -o out.npy", "--by: it is for the columns of a table");
}

// The first of an array, from a file and from a pipe of many blocks.
TEST_F(cli_sort, first_of_an_array) {
    const std::vector<float> x = keys_of<float>("special", 5'003, 9);
    write("x.npy", npy_file("<f4", "5003,", bytes_of(x)));
    write("big.npy", npy_file(">f4", "5003,", bytes_of(x, sizeof(float))));
    write("x.raw", bytes_of(x));
    for (const std::size_t first : {1, 7, 300, 2'000, 5'003, 9'000}) {
        for (const bool descending : {false, true}) {
            std::vector<std::size_t> order = sorted_indices(x, descending);
            order.resize(std::min(first, order.size()));
            const std::vector<float> expected = taken(x, order);
            const std::vector<std::int64_t> places(order.begin(), order.end());
            const std::string options =
                " --first " + std::to_string(first) + (descending ? " --descending" : "");
            for (const std::string input : {"x.npy", "big.npy"}) {
                EXPECT_EQ(succeed("sort " + input + " -o out.npy" + options), "");
                expect_npy(read("out.npy"), "<f4", expected);
                EXPECT_EQ(succeed("sort " + input + " --indices -o out.npy" + options), "");
                expect_npy(read("out.npy"), "<i8", places);
            }
            for (const std::string indices : {"", " --indices"}) {
                const outcome piped =
                    shell("cat x.raw | UPSWEEP_BLOCK_BYTES=1000 \"$UPSWEEP\" sort - --dtype float32" +
                          options + indices);
                EXPECT_EQ(piped.words, "");
                EXPECT_TRUE(piped.out == (indices.empty() ? bytes_of(expected) : bytes_of(places)))
                    << options;
            }
        }
    }
    write("none.npy", npy_file("<f8", "0,", ""));
    succeed("sort none.npy --first 3 -o out.npy");
    EXPECT_EQ(read("out.npy"), read("none.npy"));
    const std::string told = succeed("sort x.npy --first 7 -o out.npy --json");
    EXPECT_NE(told.find("\"count\": 7, \"shape\": [7]"), std::string::npos) << told;
    fail(2, "sort x.npy --first 0 -o out.npy", "--first 0: expected a number from 1 to ");
    fail(2, "sort x.npy --first -1 -o out.npy", "--first -1: expected a number");
}
TEST_F(cli_sort, first_rows) {
    write("t.csv", "year,n\n2001,3\n2001,-1\n2001,3\n2002,9\n2003,5\n2003,0\n");
    EXPECT_EQ(succeed("sort t.csv --column n --descending --first 2"), "year,n\n2002,9\n2003,5\n");
    EXPECT_EQ(succeed("sort t.csv --column n --first 100"), succeed("sort t.csv --column n"));
    EXPECT_EQ(succeed("sort t.csv --by year --column n --descending --first 1"),
              "year,n\n2001,3\n2002,9\n2003,5\n");
    EXPECT_EQ(succeed("sort t.csv --by year --column n --descending --first 2 --indices"),
              "index\n0\n2\n3\n4\n5\n");
    EXPECT_EQ(succeed("sort t.csv --column year --text --first 1"), "year,n\n2001,3\n");
}

TEST_F(cli_sort, tells_what_it_did) {
    write("x.raw", bytes_of(std::vector<float>{2, 1}));
    const std::string told = succeed("sort x.raw --dtype float32 --indices -o out.raw --json");
    EXPECT_EQ(told.substr(0, told.find("\"seconds\"")),
              "{\"file\": \"x.raw\", \"output\": \"out.raw\", \"descending\": false, \"indices\": true, "
              "\"dtype\": \"int64\", \"input_dtype\": \"float32\", \"count\": 2, \"shape\": [2], ");
    EXPECT_EQ(elements_of<std::int64_t>(read("out.raw")), (std::vector<std::int64_t>{1, 0}));
}

TEST_F(cli_sort, refuses) {
    write("flat.npy", npy_file("<f4", "2, 3", std::string(24, 'x')));
    write("one.npy", npy_file("<f4", "", "xxxx"));
    write("complex.npy", npy_file("<c8", "1,", std::string(8, 'x')));
    write("t.csv", "a,b\n1,2\nx,3\n");
    write("out.npy", "old");
    fail(1, "sort flat.npy -o out.npy", "flat.npy: the array has 2 dimensions; expected one");
    fail(1, "sort one.npy -o out.npy", "one.npy: the array has 0 dimensions; expected one");
    fail(1, "sort complex.npy -o out.npy", "complex.npy: complex64 has no order");
    fail(1, "sort absent.npy -o out.npy", "absent.npy");
    fail(1, "sort t.csv --column a -o out.csv", "t.csv: line 3, column 1 (a)");
    fail(2, "sort t.csv", "t.csv: say which column holds the numbers with --column; there are a, b");
    fail(2, "sort t.csv --column c", "--column \"c\": t.csv has no such column");
    fail(2, "sort t.csv --column a -o out.npy", "rows of a table are written as .csv or .tsv");
    fail(2, "sort flat.npy -o out.csv", "not as a table");
    fail(2, "sort flat.npy --column a -o out.npy", "--column and --no-header are for .csv and .tsv tables");
    fail(2, "sort x.raw -o out.raw", "x.raw: raw data does not tell the type");
    fail(2, "sort flat.npy --dtype f4 -o out.npy", "--dtype is for raw data");
    fail(2, "sort flat.npy --json", "name a file for the data with -o");
    // Before three bytes, which are no two elements, are read.
    EXPECT_EQ(shell("printf xxx | \"$UPSWEEP\" sort - --dtype bfloat16 -o out.npy").words,
              "upsweep: out.npy: the .npy format has no bfloat16; write raw data or another dtype\n");
    EXPECT_EQ(read("out.npy"), "old");
    // A sparse file that tells of more than this disk has room for.
    write("huge.npy", npy_file("<f8", "1099511627776,", ""));
    const outcome sized =
        std::filesystem::space(path(".")).available > 8'796'093'022'208
            ? outcome{1, "", "truncate"}
            : shell(
                  "truncate -s 8796093022336 huge.npy && \"$UPSWEEP\" sort huge.npy -o out.npy --memory 1M");
    if (sized.words.find("truncate") == std::string::npos) {
        EXPECT_EQ(sized.code, 1);
        EXPECT_NE(sized.words.find(".: no room for scratch files of 8.8 TB: "), std::string::npos)
            << sized.words;
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"complex.npy", "flat.npy", "huge.npy", "one.npy", "out.npy",
                                                 "t.csv"}));
}

}  // namespace
}  // namespace upsweep::test
