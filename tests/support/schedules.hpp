// Every order in which the steps of virtual threads can come.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace upsweep::test {

// Every sequence of choices there is: counts through them as an odometer of unequal digits.
class all_schedules {
  public:
    std::size_t operator()(std::size_t options) {
        if (position_ == digits_.size()) digits_.push_back({0, options});
        if (digits_[position_].second != options) ADD_FAILURE() << "the same choices lead elsewhere";
        return digits_[position_++].first;
    }
    // False after the last one.
    bool next() {
        position_ = 0;
        while (!digits_.empty() && digits_.back().first + 1 == digits_.back().second) digits_.pop_back();
        if (digits_.empty()) return false;
        ++digits_.back().first;
        return true;
    }

  private:
    std::vector<std::pair<std::size_t, std::size_t>> digits_;
    std::size_t position_ = 0;
};

}  // namespace upsweep::test
