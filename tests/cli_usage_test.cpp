// Exit codes, errors in one line, outputs that appear whole or not at all, JSON, help pages.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/build.hpp"
#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_usage : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("x.npy", npy_file("<i4", "3,", bytes_of<std::int32_t>({1, 2, 3})));
        write("old.npy", "the old output");
    }
    // The failure leaves the old output alone and nothing behind.
    void fail_and_keep(int code, const std::string& arguments, const std::string& part) const {
        const auto before = files();
        fail(code, arguments + " -o old.npy", part);
        EXPECT_EQ(read("old.npy"), "the old output");
        EXPECT_EQ(files(), before);
    }
};

TEST_F(cli_usage, malformed_arrays) {
    const std::string good = read("x.npy");
    const auto damaged = [&](const std::string& bytes, const std::string& part) {
        write("bad.npy", bytes);
        fail_and_keep(1, "scan bad.npy", part);
    };
    damaged(good.substr(0, 4), "bad.npy: ");
    damaged(good.substr(0, 40), "bad.npy: ");
    damaged(good.substr(0, good.size() - 5), "data is truncated: the header states 12 bytes, 7 are there");
    damaged(good + "x", "1 bytes follow");
    damaged("not an array", "bad.npy: ");
    damaged("", "bad.npy: ");
    damaged(npy_file("<i4", "4294967296, 4294967296", ""), "bad.npy: the shape");
    damaged(npy_file("<i4", "9223372036854775807,", ""), "bad.npy: ");
    damaged(npy_file("<q9", "3,", "123"), "<q9");
    damaged(npy_file("|O", "3,", "123"), "bad.npy: ");
    damaged(npy_file("|S5", "3,", "123"), "bad.npy: ");
    damaged(npy_file("<f8", "", bytes_of<double>({1})),
            "a single value (0 dimensions) has nothing to scan along");
    fail_and_keep(1, "scan absent.npy", "absent.npy: ");
    fail_and_keep(1, "scan .  --format npy", "is a directory");
    EXPECT_EQ(shell("head -c 135 x.npy | \"$UPSWEEP\" scan - -o old.npy").code, 1);
    EXPECT_EQ(read("old.npy"), "the old output");
}

TEST_F(cli_usage, outputs_that_cannot_be) {
    fail(1, "scan x.npy -o x.npy", "x.npy: is the input too");
    EXPECT_EQ(elements_of<std::int32_t>(npy_data(read("x.npy"))), (std::vector<std::int32_t>{1, 2, 3}));
    EXPECT_EQ(shell("ln x.npy y.npy; \"$UPSWEEP\" scan x.npy -o y.npy").code, 1);
    fail(1, "scan x.npy -o absent/y.npy", "absent/y.npy: cannot be created: No such file or directory");
    fail(1, "scan x.npy -o /dev/full", "/dev/full: cannot be written: No space left on device");
    const outcome full = shell("\"$UPSWEEP\" scan x.npy > /dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_NE(full.words.find("standard output: cannot be written"), std::string::npos) << full.words;
    EXPECT_EQ(shell("\"$UPSWEEP\" scan --help > /dev/full").code, 1);
    fail(1, "scan x.npy -o .", "is a directory");
    // A limit on the sizes of files, with and without the signal that tells of it.
    ASSERT_EQ(shell("head -c 4000000 /dev/zero > z.raw").code, 0);
    for (const char* signal : {"", "trap '' XFSZ; "}) {
        const outcome limited = shell("(ulimit -f 100; " + std::string(signal) +
                                      "exec \"$UPSWEEP\" scan z.raw --dtype int32 -o old.npy)");
        EXPECT_EQ(limited.code, 1) << signal;
        EXPECT_EQ(limited.words, "upsweep: old.npy: cannot be written: File too large\n") << signal;
        EXPECT_EQ(read("old.npy"), "the old output");
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"old.npy", "x.npy", "y.npy", "z.raw"}));
}

TEST_F(cli_usage, streams_that_are_not_there) {
    for (const char* words : {"2>&-", "2>/dev/full", "<&- 2>&-"}) {
        SCOPED_TRACE(words);
        EXPECT_EQ(upsweep("scan absent.npy -o old.npy " + std::string(words)).code, 1);
        EXPECT_EQ(upsweep("sing " + std::string(words)).code, 2);
        // A note that nobody reads is no reason to fail, and goes into no file.
        write("t.csv", "n,key\n1,a\n2,b\n3,a\n");
        EXPECT_EQ(upsweep("scan t.csv --column n --by key -o s.csv " + std::string(words)).code, 0);
        EXPECT_EQ(read("s.csv"), "n,key,n_sum\n1,a,1\n2,b,2\n3,a,3\n");
    }
    const outcome closed = shell("\"$UPSWEEP\" scan x.npy >&-");
    EXPECT_EQ(closed.code, 1);
    EXPECT_NE(closed.words.find("standard output: cannot be written"), std::string::npos) << closed.words;
    EXPECT_EQ(shell("\"$UPSWEEP\" scan x.npy -o y.npy --json <&- >&-").code, 1);
    EXPECT_EQ(elements_of<std::int64_t>(npy_data(read("y.npy"))), (std::vector<std::int64_t>{1, 3, 6}));
}

// A picture or offsets in the place of the input or of the results, which would be lost.
TEST_F(cli_usage, two_outputs_in_one_file) {
    const std::string table = "n\n1\n2\n";
    write("t.svg", table);
    fail_and_keep(1, "scan t.svg --format csv --plot t.svg", "t.svg: is the input too");
    fail_and_keep(1, "scan t.svg --format csv --plot absent/t.svg", "absent/t.svg: cannot be created");
    fail(1, "scan - --format csv --plot t.svg -o s.csv <t.svg", "t.svg: is the input too");
    EXPECT_EQ(read("t.svg"), table);
    write("x.svg", read("x.npy"));
    fail_and_keep(1, "scan x.svg --format npy --plot x.svg", "x.svg: is the input too");
    EXPECT_EQ(read("x.svg"), read("x.npy"));
    for (const char* both : {"scan x.npy --plot y.svg -o y.svg", "histogram x.npy --plot y.svg -o y.svg",
                             "trace blelloch x.npy --plot y.svg -o y.svg",
                             "reduce t.svg --format csv --by n --plot y.svg -o y.svg"})
        fail(2, both, "--plot and -o name the same file");
    fail(2, "bins x.npy --offsets y.npy -o y.npy", "--offsets and -o name the same file");
    fail(2, "scan x.npy --plot y.svg -o ''", "--output: FILE is missing");
    ASSERT_EQ(shell("ln -s . here && ln -s t.svg link.svg").code, 0);
    for (const char* both : {"--plot ./y.svg -o y.svg", "--plot y.svg -o \"$PWD/here/y.svg\"",
                             "--plot here/here/y.svg -o ./y.svg", "--plot link.svg -o t.svg"})
        fail(2, std::string("scan x.npy ") + both, "--plot and -o name the same file");
    EXPECT_EQ(read("t.svg"), table);
    EXPECT_EQ(files(), (std::vector<std::string>{"here", "link.svg", "old.npy", "t.svg", "x.npy", "x.svg"}));
}

// Room for the stack of one thread, where one to read and one to write are wanted.
TEST_F(cli_usage, threads_that_cannot_be) {
    if (sanitized || emulated) GTEST_SKIP() << "sanitizers and emulators need memory of their own";
    const outcome limited = shell(
        "head -c 3000000 /dev/zero > z.raw; ulimit -s 1000000 && ulimit -v 1200000 && "
        "UPSWEEP_BLOCK_BYTES=100000 \"$UPSWEEP\" scan z.raw --dtype uint8 --threads 1 -o old.npy");
    EXPECT_EQ(limited.code, 1) << limited.words;
    EXPECT_EQ(limited.words,
              "upsweep: threads: this machine cannot run two more of them, one that reads and one that "
              "writes\n");
    EXPECT_EQ(read("old.npy"), "the old output");
    EXPECT_EQ(files(), (std::vector<std::string>{"old.npy", "x.npy", "z.raw"}));
}

// What "$NAME" is where nothing was given that name.
TEST_F(cli_usage, empty_words) {
    for (const char* option : {"--output", "--plot"})
        fail(2, std::string("scan x.npy ") + option + " ''", std::string(option) + ": FILE is missing");
    for (const char* option : {"--dtype", "--accumulate", "--input-dtype"})
        fail_and_keep(2, std::string("scan x.npy ") + option + " ''",
                      std::string(option) + ": TYPE is missing");
    fail_and_keep(2, "reduce x.npy --op ''", "--op: NAME is missing");
    fail_and_keep(2, "scan x.npy --format ''", "--format: NAME is missing");
    fail_and_keep(2, "scan x.npy --init ''", "--init: VALUE is missing");
    fail_and_keep(2, "sort x.npy --first ''", "--first: N is missing");
    fail_and_keep(2, "histogram x.npy --range ''", "--range: LO:HI is missing");
    fail_and_keep(2, "bins x.npy --offsets ''", "--offsets: FILE is missing");
    fail_and_keep(2, "compact x.npy --where 'x < 5' --where ''", "--where: CONDITION is missing");
    fail(2, "bench --sizes 10 --plot ''", "--plot: FILE is missing");
    fail(2, "trace tree 1 2 --dtype ''", "--dtype: TYPE is missing");
}

TEST_F(cli_usage, wrong_usage) {
    fail(2, "",
         "a command is missing: scan, reduce, recurrence, compact, partition, histogram, bins, sort, trace, "
         "bench or "
         "devices");
    fail(2, "sing", "sing");
    fail(2, "scan", "INPUT is required");
    fail(2, "scan x.npy --loud", "unknown argument: --loud (see 'upsweep scan --help')");
    fail(2, "scan x.npy y.npy", "y.npy");
    fail_and_keep(2, "scan x.npy --op sum", "--op \"sum\": expected one of plus, multiplies, minimum");
    fail_and_keep(2, "scan x.npy --dtype int33", "--dtype \"int33\": expected one of bool, int8");
    fail_and_keep(2, "scan x.npy --accumulate string", "--accumulate \"string\"");
    fail_and_keep(2, "scan x.npy --init one", "--init: \"one\" is not a value of type int64");
    fail_and_keep(2, "scan x.npy --dtype int8 --init 128", "does not fit int8");
    fail_and_keep(2, "scan x.npy --axis 1", "--axis 1: x.npy has 1 dimension, so it must be from -1 to 0");
    fail_and_keep(2, "scan x.npy --axis one", "--axis one: expected the number of a dimension");
    fail_and_keep(2, "scan x.npy --axis 0x0", "--axis 0x0: expected the number of a dimension");
    fail_and_keep(2, "scan x.npy --axis 4294967296", "--axis 4294967296: expected");
    fail_and_keep(2, "scan x.npy --column n", "for .csv and .tsv tables");
    for (const char* threads : {"0", "-1", "4097", "0x2", "2.0", "two", "18446744073709551617"})
        fail_and_keep(2, std::string("scan x.npy --threads ") + threads,
                      std::string("--threads ") + threads + ": expected a number from 1 to 4096");
    fail_and_keep(2, "scan x.npy --accumulate float64 --dtype int32",
                  "results in float64 do not convert to int32");
    fail_and_keep(2, "scan x.npy --accumulate float16", "accumulates in float32");
    fail_and_keep(2, "scan x.npy --plot p.gif", "expected a name that ends in .svg or .png");
    fail_and_keep(2, "scan old.dat", "the ending tells no format");
    for (const char* command : {"scan ''", "sort ''", "histogram '' --bins 2", "compact '' --where 'x < 1'"})
        fail_and_keep(2, command, "INPUT: the file name is empty");
    fail_and_keep(2, "scan x.raw", "say it with --dtype or --input-dtype");
    fail_and_keep(2, "scan x.npy --input-dtype int8", "--input-dtype is for raw data");
    fail(2, "scan x.npy --json", "name a file for the data with -o");
    fail(2, "scan x.npy -o t.csv", "not as a table");
    write("m.npy", npy_file("<i4", "1, 3", bytes_of<std::int32_t>({1, 2, 3})));
    fail_and_keep(2, "scan m.npy",
                  "m.npy has 2 dimensions, shape (1, 3): say which one to scan along with --axis");
    write("c.npy", npy_file("<c8", "1,", std::string(8, '\0')));
    fail_and_keep(2, "scan c.npy --op minimum", "minimum is not defined for complex64");
    fail_and_keep(2, "scan - --op minimum <c.npy", "standard input: minimum is not defined for complex64");
    fail_and_keep(2, "scan c.npy --dtype float32", "the imaginary part would be lost");
    for (const char* size : {"0", "-1", "0x10", "1.5", "1e16", "nan", "10k"})
        fail(2, std::string("bench --sizes ") + size,
             std::string("--sizes \"") + size + "\": expected numbers");
    fail(2, "bench --op bit_or --dtype float32", "bit_or is not defined for float32");
    fail(1, "bench --sizes 10,1e14 --dtype int8,float64",
         "--sizes 100000000000000: input and results in int8 take");
    fail(2, "devices --fast", "--fast");
    EXPECT_EQ(upsweep("scan x.npy -o y.npy", "UPSWEEP_BLOCK_BYTES=many").code, 2);
}

TEST_F(cli_usage, device_names) {
    fail_and_keep(
        2, "scan x.npy --device abacus",
        "--device: expected one of auto, cpu, cuda, gl, vulkan, or the second of a kind as in cuda:1, "
        "but it is abacus");
    for (const char* wrong : {"cpu:1", "cuda:", "vulkan:x", "gl:-1"})
        fail_and_keep(2, std::string("scan x.npy --device ") + wrong, "--device: expected one of");
    fail(2, "bench --sizes 10 --device abacus", "--device: expected one of");
    for (const char* device : {"", "--device cpu", "--device auto --axis 0"}) {
        EXPECT_NE(succeed(std::string("scan x.npy --json -o y.npy ") + device)
                      .find(R"("device": "cpu", "threads": )"),
                  std::string::npos)
            << device;
    }
    const bool gpu = succeed("devices --json", no_drivers).find(R"({"name": "cuda", "available": true, )") !=
                     std::string::npos;
    const std::string report = succeed("scan x.npy --json -o y.npy --device auto");
    EXPECT_NE(report.find(gpu ? R"("device": "cuda", )" : R"("device": "cpu", )"), std::string::npos)
        << report;
}

TEST_F(cli_usage, every_simd_level_gives_the_same_bytes) {
    std::vector<float> in(20000);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0f / static_cast<float>(i + 3);
    write("f.npy", npy_file("<f4", "20000,", bytes_of(in)));
    succeed("scan f.npy -o a.npy");
    succeed("scan f.npy -o b.npy --threads 1", "UPSWEEP_SIMD=portable");
    EXPECT_EQ(read("a.npy"), read("b.npy"));
    EXPECT_NE(succeed("scan f.npy -o b.npy --json", "UPSWEEP_SIMD=portable").find(R"("simd": "portable")"),
              std::string::npos);
}

TEST_F(cli_usage, what_json_tells) {
    const std::string json = succeed("scan x.npy -o y.npy --json --init 4 --threads 2");
    for (const char* part :
         {R"("file": "x.npy")", R"("output": "y.npy")", R"("op": "plus")", R"("dtype": "int64")",
          R"("input_dtype": "int32")", R"("accumulator": "int64")", R"("n": 3)", R"("shape": [3])",
          R"("axis": null)", R"("total": 10)", R"("bytes": 36)", R"("seconds": )", R"("bytes_per_second": )",
          R"("device": "cpu")", R"("threads": 2)"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    }
    EXPECT_EQ(json.find('\n'), json.size() - 1);
    write("f.npy", npy_file("<f4", "2,", bytes_of<float>({1e38f, 3e38f})));
    EXPECT_NE(succeed("scan f.npy -o y.npy --json").find(R"("total": "inf")"), std::string::npos);
    write("c.npy", npy_file("<c8", "2,", bytes_of<float>({1, 2, 0.5f, -4})));
    EXPECT_NE(succeed("scan c.npy -o y.npy --json").find(R"("total": [1.5, -2])"), std::string::npos);
    EXPECT_NE(succeed("scan x.npy -o y.npy --json --op logical_and").find(R"("total": true)"),
              std::string::npos);
}

TEST_F(cli_usage, bench_and_devices) {
    const std::string sizes = sanitized ? "1e3" : "1e3,5000";
    const std::string table = succeed("bench --sizes " + sizes +
                                      " --op plus,maximum --dtype int8,float16 --exclusive --plot b.svg");
    EXPECT_NE(table.find("exclusive maximum"), std::string::npos) << table;
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), sanitized ? 5 : 9);
    EXPECT_NE(read("b.svg").find("</svg>"), std::string::npos);
    const std::string json = succeed("bench --sizes 2000 --dtype complex64 --threads 1 --json");
    EXPECT_EQ(
        json.find(
            R"([{"device": "cpu", "work": "inclusive plus", "type": "complex64", "n": 2000, "seconds": )"),
        0u)
        << json;
    EXPECT_NE(json.find(R"(, "copy_seconds": )"), std::string::npos);
    EXPECT_NE(json.find(R"(, "percent_of_copy": )"), std::string::npos);
}

TEST_F(cli_usage, help_pages) {
    EXPECT_EQ(succeed("--version").find("upsweep 0."), 0u);
    const std::string all = succeed("--help");
    EXPECT_EQ(succeed("help"), all);
    for (const char* command : {"scan", "reduce", "recurrence", "compact", "partition", "histogram", "bins",
                                "sort", "trace", "bench", "devices"}) {
        SCOPED_TRACE(command);
        const std::string word(command);
        EXPECT_NE(all.find("\n  " + word), std::string::npos);
        const std::string page = succeed(word + " --help");
        EXPECT_EQ(succeed("help " + word), page);
        EXPECT_NE(page.find("Examples:"), std::string::npos);
        EXPECT_EQ(succeed("help --man " + word).find(".TH \"UPSWEEP-"), 0u);
        EXPECT_EQ(shell("\"$UPSWEEP\" help --markdown " + word +
                        " | cmp - '" UPSWEEP_SOURCE_DIR "/docs/commands/" + word + ".md'")
                      .code,
                  0)
            << "docs/commands/" << word << ".md is not what `upsweep help --markdown " << word << "` prints";
    }
    fail(2, "help sing", "there is no such command");
}

}  // namespace
}  // namespace upsweep::test
