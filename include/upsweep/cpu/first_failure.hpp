// The first of the exceptions that several threads meet, and a flag for the others to leave.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace upsweep::cpu {

class first_failure {
  public:
    void fail(std::exception_ptr reason) noexcept {
        if (!claimed_.exchange(true)) {
            reason_ = std::move(reason);
            failed_.store(true, std::memory_order_release);
        }
    }
    [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
    // Once all threads have left.
    void rethrow_failure() const {
        if (reason_) std::rethrow_exception(reason_);
    }

  private:
    std::atomic<bool> failed_{false};
    std::atomic<bool> claimed_{false};
    std::exception_ptr reason_;
};

}  // namespace upsweep::cpu
