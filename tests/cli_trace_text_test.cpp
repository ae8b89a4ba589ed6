// `upsweep trace`: the text of small traces, letter for letter.
#include <gtest/gtest.h>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_trace_text : public cli_test {};

TEST_F(cli_trace_text, a_scan_in_place) {
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

TEST_F(cli_trace_text, two_buffers) {
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

TEST_F(cli_trace_text, two_sweeps) {
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

TEST_F(cli_trace_text, an_initial_value) {
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

TEST_F(cli_trace_text, an_exclusive_scan_by_warps) {
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

TEST_F(cli_trace_text, warps) {
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

TEST_F(cli_trace_text, a_butterfly) {
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

TEST_F(cli_trace_text, a_ballot) {
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

TEST_F(cli_trace_text, a_partition_by_scans) {
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

TEST_F(cli_trace_text, the_tree) {
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

TEST_F(cli_trace_text, an_exclusive_tree) {
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

TEST_F(cli_trace_text, parts_of_the_tree_within_one_another) {
    const std::string numbers = " 1 2 3 4 5 6 --init 9";
    EXPECT_NE(succeed("trace tree" + numbers).find("prefix = S + (V + L)"), std::string::npos);
    EXPECT_NE(succeed("trace tree --op minimum" + numbers).find("prefix = min(S, min(V, L))"),
              std::string::npos);
}

}  // namespace
}  // namespace upsweep::test
