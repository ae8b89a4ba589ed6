// What was left out of a test, and whether anything remained of it.
#include "shader/backend.hpp"

#include <cstddef>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>

namespace upsweep::test {
namespace {

std::size_t scans = 0;
std::set<std::string>& left_out() {
    static std::set<std::string> reasons;
    return reasons;
}

class listener : public ::testing::EmptyTestEventListener {
    void OnTestStart(const ::testing::TestInfo&) override {
        scans = 0;
        left_out().clear();
    }
    void OnTestEnd(const ::testing::TestInfo&) override {
        std::string all;
        for (const std::string& reason : left_out()) {
            std::printf("left out: %s\n", reason.c_str());
            all += (all.empty() ? "" : "; ") + reason;
        }
        if (scans == 0 && !all.empty()) GTEST_SKIP() << all;
    }
};

// Before main, so that the tests need no main of their own. Listeners belong to GoogleTest.
const bool listening = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new listener);
    return true;
}();

}  // namespace

void count_scan() { ++scans; }
void leave_out(const std::string& what) { left_out().insert(what); }

bool covers_test(const shader_backend& backend) {
    const std::string_view suite = ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name();
    const bool batches = suite.starts_with("axis_") || suite.starts_with("segment") || suite == "unique";
    if (UPSWEEP_SHADER_EVERY_PAIR || !batches) return true;
    const std::string reason = backend.executor->refusal_of_batches();
    if (!reason.empty()) leave_out(reason);
    return reason.empty();
}

bool is_representative(const shader::operation& op) {
    using shader::element_type, shader::operator_line;
    switch (op.line) {
        case operator_line::plus:
            return true;
        case operator_line::multiplies:
            return op.type == element_type::uint64;
        case operator_line::minimum:
            return op.type == element_type::float32 || op.type == element_type::float64;
        case operator_line::maximum:
            return op.type == element_type::uint32;
        default:
            return false;
    }
}

}  // namespace upsweep::test
