// What the tool says of what was typed, and whether what its pages say to type works.
#include <gtest/gtest.h>

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

// Those examples of the help pages that read what another program writes.
TEST_F(cli_words, examples_in_pipes) {
    if (shell("gzip --version").code != 0) GTEST_SKIP() << "no gzip";
    write("x.raw", bytes_of(std::vector<float>{0.25f, 4, 0.75f, 2}));
    succeed("compact x.raw --dtype float32 --where 'x > 0' -o x.npy");
    ASSERT_EQ(shell("gzip x.raw x.npy").code, 0);
    int examples = 0;
    for (const char* command : {"scan", "reduce", "compact", "partition", "histogram", "bins", "sort"}) {
        std::istringstream page(succeed(std::string(command) + " --help"));
        for (std::string line; std::getline(page, line);) {
            if (!line.starts_with("    zcat ")) continue;
            ++examples;
            const outcome result = shell("upsweep() { \"$UPSWEEP\" \"$@\"; }\n" + line);
            EXPECT_EQ(result.code, 0) << line;
            EXPECT_EQ(result.words, "") << line;
        }
    }
    EXPECT_GE(examples, 5);
}

}  // namespace
}  // namespace upsweep::test
