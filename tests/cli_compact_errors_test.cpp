// `upsweep compact` and `upsweep partition`: what is refused, with which words, and what --json tells.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

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
    refuse("", "--where: CONDITION is missing");
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
    fail(2, "compact x.npy --pivot 5 -o old.npy", "unknown arguments: --pivot 5");
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
    fail_and_keep(2, "x.npy --where 'x < 5' --device cuda", "unknown arguments: --device cuda");
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

}  // namespace
}  // namespace upsweep::test
