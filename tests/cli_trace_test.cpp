// `upsweep trace`: the text of small traces, JSON, pictures, where numbers come from, and what is refused.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_trace : public cli_test {};

TEST_F(cli_trace, text_of_a_scan_in_place) {
    EXPECT_EQ(succeed("trace hillis-steele 3 1 7 0 4"), R"(Hillis-Steele scan, in place
inclusive plus of 5 int64 values; 5 threads in warps of 32
  s  shared memory

                0   1   2   3   4
elements    s   3   1   7   0   4
distance 1  s   3  *4  *8  *7  *4
    t1: s[1] = s[0] + s[1]   t2: s[2] = s[1] + s[2]   t3: s[3] = s[2] + s[3]
    t4: s[4] = s[3] + s[4]
distance 2  s   3   4 *11 *11 *12
    t2: s[2] = s[0] + s[2]   t3: s[3] = s[1] + s[3]   t4: s[4] = s[2] + s[4]
distance 4  s   3   4  11  11 *15
    t4: s[4] = s[0] + s[4]

8 combines, depth 3; 7 barriers
shared memory: 8 reads, 13 writes, no bank conflicts
)");
}

TEST_F(cli_trace, text_of_two_buffers) {
    EXPECT_EQ(succeed("trace hillis-steele-double 5 -1 0.25 --dtype float32 --exclusive"),
              R"(Hillis-Steele scan with two buffers
exclusive plus of 3 float32 values; 3 threads in warps of 32
  a  shared memory
  b  shared memory
  r  the results

                   0      1      2
elements    a      5     -1   0.25
distance 1  b      5     *4 *-0.75
    t1: b[1] = a[0] + a[1]   t2: b[2] = a[1] + a[2]
distance 2  a      5      4  *4.25
    t2: a[2] = b[0] + b[2]
result      r    *-0     *5     *4
    t0: r[0] = identity   t1: r[1] = a[0]       t2: r[2] = a[1]

3 combines, depth 2; 3 barriers
shared memory: 5 reads, 9 writes, no bank conflicts
)");
}

TEST_F(cli_trace, text_of_two_sweeps) {
    EXPECT_EQ(succeed("trace blelloch 3 1 7 0 4 1 --exclusive --threads 7"), R"(Blelloch scan
exclusive plus of 6 int64 values; 7 threads in warps of 32
  s  shared memory
  r  the results

                            0   1   2   3   4   5   6
elements                s   3   1   7   0   4   1   0
up-sweep, distance 1    s   3  *4   7  *7   4  *5   0
    t0: s[1] = s[0] + s[1]   t1: s[3] = s[2] + s[3]   t2: s[5] = s[4] + s[5]
up-sweep, distance 2    s   3   4   7 *11   4   5  *5
    t0: s[3] = s[1] + s[3]   t1: s[6] = s[5] + s[6]
up-sweep, distance 4    s   3   4   7  11   4   5 *16
    t0: s[6] = s[3] + s[6]
down-sweep, distance 4  s   3   4   7  11   4   5 *11
    t0: s[6] = s[3]
down-sweep, distance 2  s   3   4   7  *4   4 *11 *16
    t0: s[3] = s[1]          t1: s[5] = s[6]          t1: s[6] = s[6] + s[5]
down-sweep, distance 1  s   3  *3  *4 *11 *11 *15  16
    t0: s[1] = s[0]          t1: s[2] = s[3]          t1: s[3] = s[3] + s[2]
    t2: s[4] = s[5]          t2: s[5] = s[5] + s[4]
result                  r  *0   3   4  11  11  15  16
    t0: r[0] = identity

9 combines, depth 3; 6 barriers
shared memory: 27 reads, 22 writes, no bank conflicts
)");
}

TEST_F(cli_trace, text_of_an_initial_value) {
    EXPECT_EQ(succeed("trace blelloch 3 1 7 --init 10"), R"(Blelloch scan
inclusive plus of 3 int64 values, from 10; 3 threads in warps of 32
  s  shared memory
  r  the results

                               0   1   2
elements                   s   3   1   7
up-sweep, distance 1       s   3  *4   7
    t0: s[1] = s[0] + s[1]
up-sweep, distance 2       s   3   4 *11
    t0: s[2] = s[1] + s[2]
initial value at the root  s   3   4 *10
    t0: s[2] = initial
down-sweep, distance 2     s   3 *10 *14
    t0: s[1] = s[2]          t0: s[2] = s[2] + s[1]
down-sweep, distance 1     s *10 *13  14
    t0: s[0] = s[1]          t0: s[1] = s[1] + s[0]
result                     r *13 *14 *21
    t0: r[0] = s[0] + x[0]   t1: r[1] = s[1] + x[1]   t2: r[2] = s[2] + x[2]

7 combines, depth 3; 4 barriers
shared memory: 10 reads, 10 writes, no bank conflicts
)");
}

TEST_F(cli_trace, text_of_an_exclusive_scan_by_warps) {
    EXPECT_EQ(succeed("trace block-scan --warp 4 --exclusive 1 2 3 4 5 6"), R"(Block scan by warps
exclusive plus of 6 int64 values; 6 threads in warps of 4
  x  what the threads hold
  s  shared memory
  p  what the first warp holds of the totals
  r  the results

                           0   1   2   3   4   5
elements               x   1   2   3   4   5   6
in warps, distance 1   x   1  *3  *5  *7   5 *11
    t1: x[1] = x[0] + x[1]   t2: x[2] = x[1] + x[2]   t3: x[3] = x[2] + x[3]
    t5: x[5] = x[4] + x[5]
in warps, distance 2   x   1   3  *6 *10   5  11
    t2: x[2] = x[0] + x[2]   t3: x[3] = x[1] + x[3]
totals of warps        s *10 *11
    t3: s[0] = x[3]   t5: s[1] = x[5]
totals in a warp       p  10  11   6  10
totals, distance 1     p  10 *21 *17 *16
    t1: p[1] = p[0] + p[1]   t2: p[2] = p[1] + p[2]   t3: p[3] = p[2] + p[3]
totals, distance 2     p  10  21 *27 *37
    t2: p[2] = p[0] + p[2]   t3: p[3] = p[1] + p[3]
what is before a warp  s  10  21
result                 r  *0  *1  *3  *6 *10 *15
    t0: r[0] = identity      t1: r[1] = x[0]          t2: r[2] = x[1]
    t3: r[3] = x[2]          t4: r[4] = s[0]          t5: r[5] = s[0] + x[4]

12 combines, depth 4; 7 shuffles; 2 barriers
shared memory: 4 reads, 4 writes, no bank conflicts
)");
}

TEST_F(cli_trace, text_of_warps) {
    EXPECT_EQ(succeed("trace block-scan --warp 2 1 2 3 --init 10"), R"(Block scan by warps
inclusive plus of 3 int64 values, from 10; 3 threads in warps of 2
  x  what the threads hold
  s  shared memory
  p  what the first warp holds of the totals
  r  the results

                           0   1   2
elements               x   1   2   3
in warps, distance 1   x   1  *3   3
    t1: x[1] = x[0] + x[1]
totals of warps        s  *3  *3
    t1: s[0] = x[1]   t2: s[1] = x[2]
totals in a warp       p   3   3
totals, distance 1     p   3  *6
    t1: p[1] = p[0] + p[1]
what is before a warp  s *13 *16
    t0: s[0] = initial + p[0]   t1: s[1] = initial + p[1]
result                 r *11 *13 *16
    t0: r[0] = initial + x[0]   t1: r[1] = initial + x[1]
    t2: r[2] = s[0] + x[2]

7 combines, depth 3; 2 shuffles; 2 barriers
shared memory: 3 reads, 4 writes, no bank conflicts
)");
}

TEST_F(cli_trace, text_of_a_butterfly) {
    EXPECT_EQ(succeed("trace warp-reduce 6 5 3 --op bit_xor"), R"(Butterfly reduction of a warp
bit_xor of 3 int64 values; 3 threads in warps of 32
  x  what the threads hold

                         0  1  2
elements              x  6  5  3
exchange, distance 1  x *3 *3  3
    t0: x[0] = x[0] ^ x[1]   t1: x[1] = x[0] ^ x[1]
exchange, distance 2  x *0 *0 *0
    t0: x[0] = x[0] ^ x[2]   t1: x[1] = x[1] ^ x[2]   t2: x[2] = x[0] ^ x[2]

5 combines, depth 2; 2 shuffles
)");
}

TEST_F(cli_trace, text_of_a_ballot) {
    EXPECT_EQ(succeed("trace warp-partition 3 7 1 8 --pivot 5"), R"(Partition of a warp by a ballot
x < 5 first, of 4 int64 values; 4 threads in warps of 32
  x  the elements
  f  1 where an element goes to the left, then how many up to there
  r  the results

                  0  1  2  3
elements       x  3  7  1  8
ballot, x < 5  f  1  0  1  0
elements       x  3  7  1  8
result         r  3 *1 *7  8
    t1: r[1] = x[2]   t2: r[2] = x[1]

2 elements go to the left; 1 shuffle; 1 ballot
)");
}

TEST_F(cli_trace, text_of_a_partition_by_scans) {
    EXPECT_EQ(succeed("trace warp-partition-scans 8 3 1 --pivot 5 --warp 4"), R"(Partition of a warp by scans
x < 5 first, of 3 int64 values; 3 threads in warps of 4
  x         the elements
  f         1 where an element goes to the left, then how many up to there
  f_before  how many of them are before a lane
  g         the same of the others
  g_before  how many of these are before a lane
  c         how many are left in all
  q         the lane that a lane asks
  r         the results

                                       0  1  2
elements                     x         8  3  1
x < 5                        f         0  1  1
left, distance 1             f         0 *1 *2
    t1: f[1] = f[0] + f[1]   t2: f[2] = f[1] + f[2]
left, distance 2             f         0  1 *2
    t2: f[2] = f[0] + f[2]
left, before                 f_before *0 *0 *1
    t0: f_before[0] = 0      t1: f_before[1] = f[0]   t2: f_before[2] = f[1]
not x < 5                    g         1  0  0
others, distance 1           g         1 *1 *0
    t1: g[1] = g[0] + g[1]   t2: g[2] = g[1] + g[2]
others, distance 2           g         1  1 *1
    t2: g[2] = g[0] + g[2]
others, before               g_before *0 *1 *1
    t0: g_before[0] = 0      t1: g_before[1] = g[0]   t2: g_before[2] = g[1]
count                        c         0  1  1
count, exchange, distance 1  c        *1 *1  1
    t0: c[0] = c[0] + c[1]   t1: c[1] = c[0] + c[1]
count, exchange, distance 2  c        *2 *2 *2
    t0: c[0] = c[0] + c[2]   t1: c[1] = c[1] + c[2]   t2: c[2] = c[0] + c[2]
search, step 2               q         2  2  2
search, step 1               q         1  2  1
elements                     x         8  3  1
result                       r        *3 *1 *8
    t0: r[0] = x[1]   t1: r[1] = x[2]   t2: r[2] = x[0]

2 elements go to the left; 13 shuffles
)");
}

TEST_F(cli_trace, text_of_the_tree) {
    EXPECT_EQ(succeed("trace tree 1 1 1 1 2e-7 2e-7 --dtype float32"), R"(The tree of the numeric contract
inclusive plus of 6 float32 values

                     x          S          T          R          V          L     prefix
element 0            1          .          .          .          .         *1         *1
    L = x        prefix = L
element 1            1          .          .          .          .         *2         *2
    L = L + x    prefix = L
element 2            1          .          .          .          .         *3         *3
    L = L + x    prefix = L
element 3            1          .          .          .          .         *4         *4
    L = L + x    prefix = L
element 4        2e-07          .          .          .         *4     *2e-07         *4
    V = L            L = x            prefix = V + L
element 5        2e-07          .          .          .          4     *4e-07 *4.0000005
    L = L + x        prefix = V + L

6 combines, depth 4
)");
}

TEST_F(cli_trace, text_of_an_exclusive_tree) {
    EXPECT_EQ(succeed("trace tree 6 2 --exclusive --op maximum --init 3"), R"(The tree of the numeric contract
exclusive maximum of 2 int64 values, from 3

                      x       S       T       R       V       L  prefix
initial value         .      *3       .       .       .       .       .
    S = initial
element 0             6       3       .       .       .      *6      *3
    prefix = S   L = x
element 1             2       3       .       .       .      *6      *6
    prefix = max(S, L)   L = max(L, x)

2 combines, depth 1
)");
}

TEST_F(cli_trace, parts_of_the_tree_within_one_another) {
    const std::string numbers = " 1 2 3 4 5 6 --init 9";
    EXPECT_NE(succeed("trace tree" + numbers).find("prefix = S + (V + L)"), std::string::npos);
    EXPECT_NE(succeed("trace tree --op minimum" + numbers).find("prefix = min(S, min(V, L))"),
              std::string::npos);
}

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
    refuse("warp-scan 1 --warp all", "--warp");
    refuse("blelloch 1 2 3 --threads 2", "blelloch: 2 threads, expected 3, the number of elements, to 1024");
    refuse("blelloch 1 2 3 --threads 0", "--threads 0: expected at least one for each element");
    refuse("blelloch 1 2 3 --pivot 2", "--pivot: blelloch has no pivot");
    refuse("warp-partition 1 2 3", "--pivot is missing: elements below it go to the left");
    refuse("warp-partition 1 2 3 --pivot 1.5", "int64 is compared with an integer, but \"1.5\" is none");
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
