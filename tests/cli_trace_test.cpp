// `upsweep trace`: JSON, pictures, where numbers come from, and what is refused.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_trace : public cli_test {};

TEST_F(cli_trace, json) {
    if (shell("python3 -c 0").code != 0) GTEST_SKIP() << "no python3 to read JSON";
    succeed("trace blelloch 3 1 7 0 --json -o scan.json");
    succeed("trace warp-partition --pivot 1 --json -o partition.json -- 0.5 nan -inf");
    succeed("trace tree 2 3 --json -o tree.json");
    write("read.py", R"(import json
t = json.load(open("scan.json"))
print(t["algorithm"], t["op"], t["dtype"], t["exclusive"], t["n"], t["threads"], t["warp_width"])
print(t["elements"], t["result"], t["initial"])
print(t["combines"], t["depth"], t["barriers"], t["reads"], t["writes"])
print([s["label"] for s in t["steps"]])
print(t["steps"][2])
print(t["events"][0], len(t["events"]))
t = json.load(open("partition.json"))
print(t["result"], t["left_count"], t["pivot"], "op" in t)
print([e["value"] for e in t["events"] if e["what"] == "ballot"])
print([e["lane"] for e in t["events"] if e["what"] == "shuffle"])
t = json.load(open("tree.json"))
print(t["steps"][1]["actions"])
print(t["events"], "threads" in t)
)");
    const outcome read = shell("python3 read.py");
    EXPECT_EQ(read.out, R"(blelloch plus int64 False 4 4 32
[3, 1, 7, 0] [3, 4, 11, 11] None
7 3 4 13 11
['elements', 'up-sweep, distance 1', 'up-sweep, distance 2', 'down-sweep, distance 2', 'down-sweep, distance 1', 'result']
{'label': 'up-sweep, distance 2', 'barriers': 2, 'array': 's', 'cells': [3, 4, 7, 11], 'actions': [{'thread': 0, 'to': 's[3]', 'from': ['s[1]', 's[3]']}]}
{'what': 'write', 'thread': 0, 'barriers': 0, 'cell': 's[0]', 'value': 3} 40
[0.5, '-inf', 'nan'] 2 1 False
[5, 5, 5]
[2, 1, 0]
[{'thread': 0, 'to': 'L', 'from': ['L', 'x']}, {'thread': 0, 'to': 'prefix', 'from': ['L']}]
[] False
)") << read.words;
}

TEST_F(cli_trace, pictures) {
    for (const char* algorithm :
         {"hillis-steele", "hillis-steele-double", "blelloch", "block-scan --warp 4", "warp-scan",
          "warp-reduce", "warp-partition --pivot 3", "warp-partition-scans --pivot 3", "tree"}) {
        SCOPED_TRACE(algorithm);
        const std::string numbers = std::string(algorithm) + " 3 1 7 0 4 1 6";
        EXPECT_NE(succeed("trace " + numbers + " --plot p.svg"), "");
        const std::string svg = read("p.svg");
        EXPECT_EQ(svg.find("<svg "), 0u);
        EXPECT_NE(svg.find(">element"), std::string::npos);
        EXPECT_NE(svg.find("<polyline"), std::string::npos);
        EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
        succeed("trace " + numbers + " --plot p.png -o text");
        EXPECT_EQ(read("p.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
    }
    // A line from each operand.
    succeed("trace hillis-steele 1 2 --plot p.svg -o text");
    const std::string svg = read("p.svg");
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = svg.find("stroke-width=\"1.6\"", at)) != std::string::npos; ++at) ++lines;
    EXPECT_EQ(lines, 2u);
    // A picture without room is refused before anything is written.
    write("old.svg", "the old picture");
    fail(2, "trace hillis-steele $(seq 300) --plot old.svg -o new",
         "at most 8192 are drawn; trace fewer elements");
    EXPECT_EQ(read("old.svg"), "the old picture");
    EXPECT_FALSE(exists("new"));
}

TEST_F(cli_trace, what_the_readme_shows) {
    succeed("trace blelloch 3 1 7 0 4 1 6 3 --exclusive --plot p.svg -o text");
    EXPECT_EQ(shell("cmp p.svg '" UPSWEEP_SOURCE_DIR "/docs/images/blelloch.svg'").code, 0);
    const std::string readme = shell("cat '" UPSWEEP_SOURCE_DIR "/README.md'").out;
    const std::string text = succeed("trace hillis-steele 3 1 7 0");
    const std::size_t steps = text.find("\n\n") + 2;
    EXPECT_NE(readme.find(text.substr(steps, text.find("\n\n", steps) + 1 - steps)), std::string::npos)
        << text;
}

TEST_F(cli_trace, where_numbers_come_from) {
    const std::string expected = succeed("trace blelloch 3 1 7");
    write("x.npy", npy_file("<i8", "3,", bytes_of<std::int64_t>({3, 1, 7})));
    write("b.npy", npy_file(">i2", "3,", bytes_of<std::int16_t>({3, 1, 7}, 2)));
    write("x.raw", bytes_of<std::int64_t>({3, 1, 7}));
    write("t.csv", "day,rain\na,3\nb,1\nc,7\n");
    EXPECT_EQ(succeed("trace blelloch x.npy"), expected);
    EXPECT_EQ(succeed("trace blelloch b.npy"), expected);  // summed in 64 bits
    EXPECT_EQ(succeed("trace blelloch x.raw --dtype int64"), expected);
    EXPECT_EQ(succeed("trace blelloch t.csv --column rain"), expected);
    EXPECT_EQ(succeed("trace blelloch --dtype int64 +3 1 7"), expected);
    EXPECT_EQ(shell("cat x.npy | \"$UPSWEEP\" trace blelloch -").out, expected);
    EXPECT_EQ(shell("printf '3\\n1\\n7\\n' | \"$UPSWEEP\" trace blelloch - --format csv --no-header").out,
              expected);
    EXPECT_NE(succeed("trace blelloch b.npy --dtype int16").find("3 int16 values"), std::string::npos);
    EXPECT_NE(succeed("trace blelloch 3 1.5").find("2 float64 values"), std::string::npos);
    EXPECT_NE(succeed("trace blelloch 3 0 --op logical_and --dtype int32").find("2 bool values"),
              std::string::npos);
    EXPECT_NE(succeed("trace blelloch 3 1 --dtype float16").find("2 float32 values"), std::string::npos);
    EXPECT_EQ(succeed("trace warp-scan"), succeed("trace warp-scan 3 1 7 0 4 1 6 3"));
    EXPECT_EQ(succeed("trace warp-partition"), succeed("trace warp-partition 3 1 7 0 4 1 6 3 --pivot 4"));
    // In a file there is never a terminal's bold text.
    succeed("trace blelloch 3 1 7 -o text");
    EXPECT_EQ(read("text"), expected);
    EXPECT_EQ(expected.find('\x1b'), std::string::npos);
}

TEST_F(cli_trace, bold_on_a_terminal_unless_told_not_to) {
    if (shell("script -qec true /dev/null").code != 0) GTEST_SKIP() << "no script(1) to make a terminal";
    const std::string call = "script -qec '\"$UPSWEEP\" trace warp-scan 3 1' /dev/null";
    const std::string bold = shell("unset NO_COLOR; " + call).out;
    EXPECT_NE(bold.find("\x1b[1m4\x1b[0m"), std::string::npos) << bold;
    EXPECT_EQ(bold.find('*'), std::string::npos) << bold;
    const std::string plain = shell("NO_COLOR=1 " + call).out;
    EXPECT_EQ(plain.find("\x1b["), std::string::npos) << plain;
    EXPECT_NE(plain.find("*4"), std::string::npos) << plain;
}

TEST_F(cli_trace, negative_numbers) {
    const std::string all = succeed("trace tree -0.5 -1 -2e3");
    EXPECT_NE(all.find("3 float64 values"), std::string::npos) << all;
    EXPECT_EQ(succeed("trace tree -- -.5 -1 -2e3"), all);
    EXPECT_EQ(succeed("trace tree --op plus -- -.5 -1 -2e3"), all);
    EXPECT_NE(succeed("trace tree -- -inf 1").find("-inf"), std::string::npos);
}

TEST_F(cli_trace, long_rows_are_cut) {
    const std::string text = succeed("trace hillis-steele $(seq 100)");
    EXPECT_NE(text.find("\nelements     s[0]"), std::string::npos) << text;
    EXPECT_NE(text.find("*5050\n"), std::string::npos) << text;
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
        EXPECT_LE(end - at, 80u) << text.substr(at, end - at);
}

TEST_F(cli_trace, what_is_refused) {
    write("m.npy", npy_file("<i4", "1, 3", bytes_of<std::int32_t>({1, 2, 3})));
    write("x.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
    write("empty.npy", npy_file("<i4", "0,", ""));
    write("t.csv", "day,rain\na,3\n");
    const auto refuse = [&](const std::string& arguments, const std::string& part) {
        fail(2, "trace " + arguments, part);
    };
    refuse("", "ALGORITHM is required");
    refuse("kogge-stone 1 2", "\"kogge-stone\": there is no such algorithm; expected one of hillis-steele,");
    refuse("blelloch 3 1 x7", "number 3: \"x7\" is no number");
    refuse("blelloch 3 ''", "number 2: \"\" is no number");
    refuse("blelloch 3 1e999", "number 2: \"1e999\" is beyond float64");
    refuse("blelloch 3x", "number 1: \"3x\" is no number, nor a file that ends in .npy, .csv");
    refuse("blelloch 300 --dtype int8", "number 1: \"300\" does not fit int8");
    refuse("blelloch 1 2.5 --dtype int8", "number 2: \"2.5\" is not a value of type int8");
    refuse("blelloch 1 --dtype int33", "--dtype \"int33\": expected one of bool, int8");
    refuse("blelloch 1.5 2 --op bit_or", "bit_or is not defined for float64");
    refuse("blelloch 1 2 --op sum", "--op \"sum\": expected one of plus");
    refuse("blelloch 1 2 --init x", "--init: \"x\" is not a value of type int64");
    refuse("blelloch $(seq 1025)",
           "blelloch: takes at most 1024 elements (a block has at most 1024 threads)");
    refuse("warp-scan $(seq 33)", "warp-scan: takes at most 32 elements");
    refuse("block-scan $(seq 17) --warp 4", "block-scan: takes at most 16 elements");
    refuse("warp-scan 1 --warp 33", "--warp 33: expected a power of two from 1 to 64");
    refuse("warp-scan 1 --warp 0", "--warp 0: expected a power of two from 1 to 64");
    refuse("warp-scan 1 --warp 128", "--warp 128: expected a power of two from 1 to 64");
    refuse("warp-scan 1 --warp -1", "--warp -1: expected a power of two from 1 to 64");
    refuse("warp-scan 1 --warp all", "--warp all: expected a power of two from 1 to 64");
    refuse("blelloch 1 2 3 --threads 2", "blelloch: 2 threads, expected 3, the number of elements, to 1024");
    refuse("blelloch 1 2 3 --threads 0", "--threads 0: expected at least one for each element");
    refuse("blelloch 1 2 3 --threads -1", "--threads -1: expected at least one for each element");
    refuse("blelloch 1 2 3 --threads 0x4", "--threads 0x4: expected at least one for each element");
    refuse("blelloch 1 2 3 --pivot 2", "--pivot: blelloch has no pivot");
    refuse("warp-partition 1 2 3", "--pivot is missing: elements below it go to the left");
    refuse("warp-partition 1 2 3 --pivot 1.5",
           "--pivot \"1.5\": int64 is compared with an integer, but \"1.5\" is none");
    refuse("warp-partition 1 2 3 --pivot 2 --op plus", "--op: warp-partition has no operator but a --pivot");
    refuse("warp-reduce 1 2 --exclusive", "--exclusive: warp-reduce has no exclusive form");
    refuse("warp-reduce 1 2 --init 3", "--init: warp-reduce takes no initial value");
    refuse("tree 1 2 --warp 4", "--warp: tree knows no warps");
    refuse("tree 1 2 --threads 4", "--threads: tree has no threads without an element");
    refuse("blelloch --plot p.gif", "--plot p.gif: expected a name that ends in .svg or .png");
    refuse("blelloch --plot p.svg -o p.svg", "--plot and -o name the same file");
    refuse("blelloch m.npy", "m.npy has 2 dimensions; a trace is of one");
    refuse("blelloch empty.npy", "blelloch: there are no elements to trace");
    refuse("blelloch x.raw", "x.raw: raw data does not tell the type of its elements; say it with --dtype");
    refuse("blelloch x.npy --column rain", "--column and --no-header are for .csv and .tsv tables");
    refuse("blelloch t.csv", "t.csv: say which column to trace with --column; there are day, rain");
    refuse("blelloch t.csv --column snow", "--column \"snow\": t.csv has no such column, but day, rain");
    refuse("blelloch 1 2 --column rain", "are for one file, not for numbers");
    refuse("blelloch --format npy", "are for a file; none is named");
    refuse("warp-partition x.npy --pivot 2 --dtype int64", "a partition moves elements as they are");
    fail(2, "trace blelloch x.npy y.npy", "number 1: \"x.npy\" is no number");
    fail(1, "trace blelloch absent.npy", "absent.npy: cannot be opened");
    fail(1, "trace blelloch t.csv --column day", "t.csv: line 2, column 1 (day): \"a\" is not a number");
    fail(1, "trace blelloch x.npy -o x.npy", "x.npy: is the input too");
    fail(1, "trace blelloch x.npy -o absent/text", "absent/text: cannot be created");
    EXPECT_EQ(shell("\"$UPSWEEP\" trace blelloch > /dev/full").code, 1);
    EXPECT_EQ(shell("yes | \"$UPSWEEP\" trace blelloch - --format csv --no-header").code, 1);
    EXPECT_EQ(shell("yes 1 | \"$UPSWEEP\" trace blelloch - --format csv --no-header").code, 2);
    EXPECT_EQ(files(), (std::vector<std::string>{"empty.npy", "m.npy", "t.csv", "x.npy"}));
}

}  // namespace
}  // namespace upsweep::test
