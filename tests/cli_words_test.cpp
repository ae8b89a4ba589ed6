// What the tool says of what was typed, and whether what its pages say to type works.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/cli.hpp"

namespace upsweep::test {
namespace {

class cli_words : public cli_test {
  protected:
    void SetUp() override {
        cli_test::SetUp();
        write("t.csv", "n\n1\n2\n");
    }
    // The whole line.
    void expect_words(const std::string& arguments, const std::string& words) const {
        const outcome result = upsweep(arguments);
        EXPECT_EQ(result.words, words + "\n") << arguments;
        EXPECT_EQ(result.out, "") << arguments;
    }
};

TEST_F(cli_words, commands_that_are_not_there) {
    const std::string names =
        "scan, reduce, recurrence, compact, partition, histogram, bins, sort, trace, bench or devices (see "
        "'upsweep --help')";
    expect_words("", "upsweep: a command is missing: " + names);
    for (const char* arguments : {"scann", "scann t.csv", "scann t.csv -o s.csv --op plus", "scann scann"})
        expect_words(arguments, "upsweep: \"scann\": there is no such command; expected " + names);
    expect_words("help sing", "upsweep: help sing: there is no such command (see 'upsweep --help')");
    expect_words("help scan sort", "upsweep: unknown argument: sort (see 'upsweep --help')");
    expect_words("--loud", "upsweep: unknown argument: --loud (see 'upsweep --help')");
}

TEST_F(cli_words, arguments_that_nothing_takes) {
    const std::string see = " (see 'upsweep scan --help')";
    expect_words("scan t.csv --loud", "upsweep scan: unknown argument: --loud" + see);
    expect_words("scan t.csv a b --loud", "upsweep scan: unknown arguments: a b --loud" + see);
    expect_words("--loud scan t.csv", "upsweep scan: unknown argument: --loud" + see);
    expect_words("scan t.csv --op plus --op maximum",
                 "upsweep scan: --op is given 2 times; expected once" + see);
    expect_words("scan t.csv -o a -o b --output c",
                 "upsweep scan: --output is given 3 times; expected once" + see);
    expect_words("scan t.csv --op", "upsweep scan: --op: NAME is missing" + see);
    expect_words("scan --axis", "upsweep scan: --axis: K is missing" + see);
    expect_words("scan", "upsweep scan: INPUT is required" + see);
}

// Names of files move no cursor and change no color, whatever the message.
TEST_F(cli_words, names_with_control_characters) {
    for (const char* command : {"scan", "scan --format csv --column m", "scan t.csv -o", "scan t.csv --plot",
                                "scan t.csv --json", "trace"}) {
        SCOPED_TRACE(command);
        const outcome result =
            shell("\"$UPSWEEP\" " + std::string(command) + " \"$(printf 'a\\033[31m\\nb/\\377')\"");
        EXPECT_NE(result.code, 0);
        EXPECT_NE(result.words.find("a\\x1b[31m\\x0ab/\\xff"), std::string::npos) << result.words;
        EXPECT_EQ(result.words.find('\033'), std::string::npos) << result.words;
        EXPECT_EQ(result.words.find('\n'), result.words.size() - 1) << result.words;
    }
}

// Every member of a report stands on the command's page.
TEST_F(cli_words, json_members) {
    write("x.raw", bytes_of(std::vector<float>{0.25f, 4}));
    const std::regex member("\"([a-z_]+)\": ");
    for (const std::string command : {"scan t.csv -o s.csv --plot p.svg",
                                      "scan t.csv --by n -o s.csv",
                                      "scan x.raw --dtype float32 -o y.raw",
                                      "reduce t.csv --by n -o s.csv --plot p.svg",
                                      "reduce x.raw --dtype float32",
                                      "recurrence t.csv --smooth 1 --by n -o s.csv --plot p.svg",
                                      "recurrence t.csv --coefficients n -o s.csv",
                                      "recurrence x.raw --dtype float32 --coefficient 1 -o y.raw",
                                      "compact t.csv --where 'n > 1' -o s.csv",
                                      "compact x.raw --dtype float32 --where 'x > 1' -o y.raw",
                                      "partition t.csv --pivot 2 -o s.csv",
                                      "partition x.raw --dtype float32 --pivot 1 -o y.raw",
                                      "histogram t.csv -o s.csv --plot p.svg",
                                      "bins x.raw --dtype float32 -o y.raw",
                                      "sort t.csv -o s.csv",
                                      "sort x.raw --dtype float32 -o y.raw",
                                      "trace block-scan --warp 4",
                                      "trace warp-partition --pivot 3",
                                      "trace tree",
                                      "bench --sizes 10"}) {
        SCOPED_TRACE(command);
        const std::string page = succeed("help --markdown " + command.substr(0, command.find(' ')));
        const std::size_t begin = page.find("\n## JSON\n");
        ASSERT_NE(begin, std::string::npos);
        const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
        const std::string report = succeed(command + " --json");
        for (std::sregex_iterator found(report.begin(), report.end(), member), last; found != last; ++found)
            EXPECT_TRUE(std::regex_search(section, std::regex("\\b" + found->str(1) + "\\b")))
                << found->str(1);
    }
    // The other way round: what is not given is not told.
    EXPECT_EQ(succeed("reduce t.csv --json").find("\"output\""), std::string::npos);
    EXPECT_EQ(succeed("histogram t.csv --json").find("\"plot\""), std::string::npos);
}

// Those examples of the help pages that read what another program writes.
TEST_F(cli_words, examples_in_pipes) {
    if (shell("gzip --version").code != 0) GTEST_SKIP() << "no gzip";
    write("x.raw", bytes_of(std::vector<float>{0.25f, 4, 0.75f, 2}));
    succeed("compact x.raw --dtype float32 --where 'x > 0' -o x.npy");
    ASSERT_EQ(shell("gzip x.raw x.npy").code, 0);
    int examples = 0;
    for (const char* command :
         {"scan", "reduce", "recurrence", "compact", "partition", "histogram", "bins", "sort"}) {
        std::istringstream page(succeed(std::string(command) + " --help"));
        for (std::string line; std::getline(page, line);) {
            if (!line.starts_with("    zcat ")) continue;
            ++examples;
            const outcome result = shell("upsweep() { \"$UPSWEEP\" \"$@\"; }\n" + line);
            EXPECT_EQ(result.code, 0) << line;
            EXPECT_EQ(result.words, "") << line;
        }
    }
    EXPECT_GE(examples, 6);
}

}  // namespace
}  // namespace upsweep::test
