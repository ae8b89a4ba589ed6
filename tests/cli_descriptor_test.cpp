// Outputs whose names lead to what is open already: written there and then, like standard output as -.
#include <gtest/gtest.h>

#include <string>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_descriptor : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        if (!exists_outside("/proc/self/fd") || !exists_outside("/dev/fd"))
            GTEST_SKIP() << "no names of descriptors here";
        write("t.csv", "n\n1\n2\n");
    }
    static bool exists_outside(const char* path) { return std::filesystem::exists(path); }
};

constexpr const char* running_sums = "n,n_sum\n1,1\n2,3\n";

TEST_F(cli_descriptor, what_stands_in_a_file_stays) {
    ASSERT_EQ(shell("ln -s /dev/stdout link.csv").code, 0);
    for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link.csv", "./link.csv"}) {
        SCOPED_TRACE(name);
        const outcome result =
            shell("{ echo before; \"$UPSWEEP\" scan t.csv -o " + std::string(name) + "; echo after; } >log");
        EXPECT_EQ(result.words, "");
        EXPECT_EQ(read("log"), std::string("before\n") + running_sums + "after\n");
        EXPECT_EQ(shell("\"$UPSWEEP\" scan t.csv -o " + std::string(name) + " >>log").code, 0);
        EXPECT_EQ(read("log"), std::string("before\n") + running_sums + "after\n" + running_sums);
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"link.csv", "log", "t.csv"}));
}

TEST_F(cli_descriptor, pipes) {
    for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
        const outcome result = shell("\"$UPSWEEP\" scan t.csv -o " + std::string(name) + " | cat");
        EXPECT_EQ(result.words, "") << name;
        EXPECT_EQ(result.out, running_sums) << name;
    }
    // As a shell has it that puts /dev/fd/63 in the place of >(command).
    const outcome other = shell("{ \"$UPSWEEP\" scan t.csv -o /dev/fd/9 9>&1 >out | cat; }");
    EXPECT_EQ(other.words, "");
    EXPECT_EQ(other.out, running_sums);
    EXPECT_EQ(read("out"), "");
}

TEST_F(cli_descriptor, every_option_that_names_an_output) {
    ASSERT_EQ(shell("ln -s /dev/fd/9 p.svg && ln -s /dev/fd/9 o.csv").code, 0);
    for (const char* command :
         {"scan t.csv --plot p.svg", "reduce t.csv --by n --plot p.svg", "histogram t.csv --plot p.svg",
          "trace blelloch --plot p.svg", "bench --sizes 10 --plot p.svg",
          "bins t.csv --indices --offsets o.csv", "histogram t.csv -o /dev/fd/9",
          "trace blelloch -o /dev/fd/9", "compact t.csv --where 'n > 1' -o /dev/fd/9",
          "partition t.csv --pivot 2 --column n -o /dev/fd/9", "sort t.csv -o /dev/fd/9"}) {
        SCOPED_TRACE(command);
        const outcome result =
            shell("{ echo before >&9; \"$UPSWEEP\" " + std::string(command) + "; echo after >&9; } 9>log");
        EXPECT_EQ(result.words, "");
        const std::string log = read("log");
        EXPECT_TRUE(log.starts_with("before\n")) << log;
        EXPECT_TRUE(log.ends_with("\nafter\n")) << log;
        EXPECT_GT(log.size(), std::string("before\nafter\n").size()) << log;
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"log", "o.csv", "p.svg", "t.csv"}));
}

TEST_F(cli_descriptor, what_is_refused) {
    fail(2, "scan t.csv --json -o /dev/stdout", "--json writes to standard output");
    fail(2, "histogram t.csv --json -o /dev/stdout", "--json writes to standard output");
    fail(2, "bins t.csv --indices --offsets /dev/stdout", "--offsets /dev/stdout: standard output is for");
    ASSERT_EQ(shell("ln -s /dev/stdout p.svg").code, 0);
    fail(2, "scan t.csv --plot p.svg", "--plot and -o name the same file");
    fail(1, "scan t.csv -o /dev/fd/9 9>&-", "/dev/fd/9: cannot be written: Bad file descriptor");
    // The input, which the tool itself has opened.
    for (const char* own : {"/dev/fd/3", "/dev/fd/4"})
        fail(1, "scan t.csv -o " + std::string(own) + " 3>&- 4>&-", "cannot be written: Bad file descriptor");
    EXPECT_EQ(shell("\"$UPSWEEP\" scan t.csv -o /dev/stdout >>t.csv").words,
              "upsweep: /dev/stdout: is the input too; write to another file\n");
    EXPECT_EQ(read("t.csv"), "n\n1\n2\n");
}

// What waits for its end is laid in TMPDIR, not where descriptors are.
TEST_F(cli_descriptor, results_that_wait) {
    const outcome result = shell(
        "seq 1 20000 >n.csv; mkdir tmp; TMPDIR=tmp UPSWEEP_BLOCK_BYTES=64 \"$UPSWEEP\" partition n.csv "
        "--no-header --pivot 0 -o /dev/stdout | cmp - n.csv");
    EXPECT_EQ(result.code, 0) << result.words << result.out;
}

}  // namespace
}  // namespace upsweep::test
