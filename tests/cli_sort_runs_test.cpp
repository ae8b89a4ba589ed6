// `upsweep sort` of arrays that take more than --memory: the bytes of a sort in memory, whatever the runs;
// disks without room; words that are no size.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/cli.hpp"
#include "support/sorted.hpp"

namespace upsweep::test {
namespace {

// With the least memory a run has 64443 doubles, or 21481 with their indices; four runs are merged at once.
constexpr std::size_t doubles_in_run = 64'443;

class cli_sort_runs : public cli_test {
  protected:
    // How many runs were merged, of what --json told.
    static std::size_t runs_of(const std::string& told) {
        const std::string key = "\"runs\": ";
        const std::size_t at = told.find(key);
        return at == std::string::npos ? 0 : std::stoul(told.substr(at + key.size()));
    }
    // Sorts `input` in memory and in runs, and compares; returns of how many.
    std::size_t compare(const std::string& input, const std::string& options,
                        const std::string& memory = "1M") const {
        succeed("sort " + input + " -o expected.npy " + options);
        const std::string told =
            succeed("sort " + input + " -o out.npy --json --memory " + memory + " " + options);
        EXPECT_TRUE(read("out.npy") == read("expected.npy")) << input << " " << options;
        return runs_of(told);
    }
    template <class T>
    void check(const std::string& code) const {
        SCOPED_TRACE(code);
        const std::size_t n = 700'001 / sizeof(T);
        const std::string shape = std::to_string(n) + ",";
        const std::vector<T> x = keys_of<T>(sizeof(T) == 1 ? "any bits" : "special", n, 7);
        write("little.npy", npy_file((sizeof(T) == 1 ? "|" : "<") + code, shape, bytes_of(x)));
        write("big.npy", npy_file((sizeof(T) == 1 ? "|" : ">") + code, shape, bytes_of(x, sizeof(T))));
        EXPECT_EQ(compare("little.npy", "--descending"), 2u);
        EXPECT_GE(compare("big.npy", "--indices"), 4u);
    }
    // n doubles of few values in x.npy and x.raw.
    void write_doubles(std::size_t n) const {
        const std::vector<double> x = keys_of<double>("special", n, n);
        write("x.npy", npy_file("<f8", std::to_string(n) + ",", bytes_of(x)));
        write("x.raw", bytes_of(x));
    }
};

TEST_F(cli_sort_runs, integers) {
    check<std::int8_t>("i1");
    check<std::uint8_t>("u1");
    check<std::int16_t>("i2");
    check<std::uint16_t>("u2");
    check<std::int32_t>("i4");
    check<std::uint32_t>("u4");
    check<std::int64_t>("i8");
    check<std::uint64_t>("u8");
    check<std::uint8_t>("b1");
}
TEST_F(cli_sort_runs, floating_point_numbers) {
    check<float16>("f2");
    check<float>("f4");
    check<double>("f8");
}

// What is equal in one run and in several: its indices tell its order.
TEST_F(cli_sort_runs, equal_elements_keep_their_order) {
    const std::size_t n = 100'003;
    for (const char* kind : {"few values", "equal", "ascending", "descending"}) {
        const std::vector<std::int32_t> x = keys_of<std::int32_t>(kind, n, 3);
        write("x.npy", npy_file("<i4", std::to_string(n) + ",", bytes_of(x)));
        for (const bool descending : {false, true}) {
            const std::vector<std::size_t> order = sorted_indices(x, descending);
            succeed("sort x.npy --memory 1M --indices -o out.npy" +
                    std::string(descending ? " --descending" : ""));
            expect_npy(read("out.npy"), "<i8", std::vector<std::int64_t>(order.begin(), order.end()));
        }
    }
}

TEST_F(cli_sort_runs, counts_around_the_ends_of_runs) {
    // 43690 fit as they are.
    for (const auto& [n, runs] : {std::pair<std::size_t, std::size_t>{0, 0},
                                  {1, 0},
                                  {43'690, 0},
                                  {43'691, 0},
                                  {doubles_in_run, 0},
                                  {doubles_in_run + 1, 2},
                                  {2 * doubles_in_run, 2},
                                  {2 * doubles_in_run + 1, 3}}) {
        write_doubles(n);
        EXPECT_EQ(compare("x.npy", ""), runs) << n;
        // A pipe, of which it shows late that it ends.
        const outcome piped =
            shell("cat x.raw | \"$UPSWEEP\" sort - --dtype float64 --memory 1M -o out.npy --json");
        EXPECT_EQ(piped.words, "");
        EXPECT_EQ(runs_of(piped.out), n == doubles_in_run ? 1 : n == 2 * doubles_in_run ? 2 : runs) << n;
        EXPECT_TRUE(read("out.npy") == read("expected.npy")) << n;
    }
}

TEST_F(cli_sort_runs, from_pipe_to_pipe) {
    write_doubles(200'001);
    for (const std::string indices : {"", " --indices"}) {
        succeed("sort x.npy -o expected.npy" + indices);
        for (const char* block : {"1000", "100000", ""}) {
            const outcome piped = shell("cat x.npy | UPSWEEP_BLOCK_BYTES=" + std::string(block) +
                                        " TMPDIR=. \"$UPSWEEP\" sort - --memory 1M" + indices + " | cat");
            EXPECT_EQ(piped.words, "");
            EXPECT_TRUE(piped.out == read("expected.npy")) << block;
            const outcome raw =
                shell("cat x.raw | UPSWEEP_BLOCK_BYTES=" + std::string(block) +
                      " TMPDIR=. \"$UPSWEEP\" sort - --dtype f8 --memory 1M" + indices + " | cat");
            EXPECT_EQ(raw.words, "");
            EXPECT_TRUE(raw.out == npy_data(read("expected.npy"))) << block;
        }
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"expected.npy", "x.npy", "x.raw"}));
}

TEST_F(cli_sort_runs, several_passes) {
    write_doubles(400'000);
    EXPECT_EQ(compare("x.npy", ""), 7u);                         // four of them to one run, then four
    EXPECT_EQ(compare("x.npy", "--indices --descending"), 19u);  // five runs after one pass, then two of them
}

// Windows have a part of each block, of which there are several in a run.
TEST_F(cli_sort_runs, blocks_in_parts) {
    write_doubles(1'200'000);
    EXPECT_EQ(compare("x.npy", "--threads 1", "9M"), 3u);
    EXPECT_EQ(compare("x.npy", "--threads 1 --descending --indices", "20M"), 3u);
}

// 16 MB of elements, which take twice as much in memory; integers would take no more than themselves.
TEST_F(cli_sort_runs, memory_is_bounded) {
    if (sanitized || emulated) GTEST_SKIP() << "sanitizers and emulators have memory of their own";
    ASSERT_EQ(shell("head -c 16000000 /dev/urandom > x.raw").code, 0);
    const std::string limited = "ulimit -d 24000; exec \"$UPSWEEP\" sort x.raw --dtype f8 --threads 1 ";
    const outcome whole = shell("(" + limited + "-o out.raw)");
    EXPECT_EQ(whole.code, 1);
    EXPECT_NE(whole.words.find("bytes of memory are not to be had"), std::string::npos) << whole.words;
    const outcome runs = shell("(" + limited + "-o out.raw --memory 2M --json)");
    EXPECT_EQ(runs.words, "");
    EXPECT_EQ(runs_of(runs.out), 16u);
    succeed("sort x.raw --dtype f8 -o expected.raw");
    EXPECT_TRUE(read("out.raw") == read("expected.raw"));
}

TEST_F(cli_sort_runs, disks_without_room) {
    write_doubles(99'968);  // 1562 blocks of 512 bytes
    write("old.npy", "old");
    const std::string tool = "\"$UPSWEEP\" sort x.npy --memory 1M";
    const outcome limited = shell("(ulimit -f 100; trap '' XFSZ; exec " + tool + " -o old.npy)");
    EXPECT_EQ(limited.code, 1);
    EXPECT_EQ(limited.words, "upsweep: .: a scratch file cannot be written here: File too large\n");
    // Where runs lie is not where the output goes.
    const outcome unwritable = shell("TMPDIR=absent " + tool + " --json -o /dev/null");
    EXPECT_EQ(unwritable.code, 1);
    EXPECT_EQ(unwritable.words,
              "upsweep: absent: no scratch file can be made here: No such file or directory\n");
    EXPECT_EQ(unwritable.out, "");
    const outcome full = shell("TMPDIR=. " + tool + " -o /dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.words, "upsweep: /dev/full: cannot be written: No space left on device\n");
    // Behind a link they lie where it leads.
    const outcome linked = shell(
        "mkdir far; echo old > far/y.npy; ln -s far/y.npy link.npy; (ulimit -f 100; trap '' XFSZ; exec " +
        tool + " -o link.npy); rm link.npy");
    EXPECT_NE(linked.words.find("/far/: a scratch file cannot be written here"), std::string::npos)
        << linked.words;
    EXPECT_EQ(shell("cat far/*; rm -r far").out, "old\n");
    // There is room for the runs, but not for the results and their header.
    const outcome results = shell("(ulimit -f 1562; trap '' XFSZ; exec " + tool + " -o old.npy)");
    EXPECT_EQ(results.code, 1);
    EXPECT_EQ(results.words, "upsweep: old.npy: cannot be written: File too large\n");
    // The input ends early.
    const outcome cut = shell("head -c 500000 x.npy | \"$UPSWEEP\" sort - --memory 1M -o old.npy");
    EXPECT_EQ(cut.code, 1);
    EXPECT_NE(cut.words.find("standard input: data is truncated"), std::string::npos) << cut.words;
    EXPECT_EQ(read("old.npy"), "old");
    const std::string input = read("x.npy");
    fail(1, "sort x.npy --memory 1M -o x.npy", "x.npy: is the input too; write to another file");
    EXPECT_TRUE(read("x.npy") == input);
    EXPECT_EQ(files(), (std::vector<std::string>{"old.npy", "x.npy", "x.raw"}));
}

TEST_F(cli_sort_runs, words_that_are_no_size) {
    write_doubles(2);
    for (const char* word : {"0", "-1M", "1048575", "1023K", "1.5M", "12Q", "M", "1e3", "8388608T", "1 M x"})
        fail(2, "sort x.npy -o out.npy --memory '" + std::string(word) + "'",
             "--memory " + std::string(word) + ": expected a number of bytes from 1048576 to 2^63");
    for (const char* word : {"1048576", "1024K", "1M", "3G", "8388607T"})
        succeed("sort x.npy -o out.npy --memory " + std::string(word));
    write("t.csv", "n\n1\n");
    fail(2, "sort t.csv --memory 1M", "--memory: it is for arrays");
    fail(2, "sort x.npy --first 1 --memory 1M -o out.npy", "--memory: it is for a whole array");
}

}  // namespace
}  // namespace upsweep::test
