// Scratch of a call, which goes back to its executor whatever happens in between.
#pragma once

#include "upsweep/cuda/executor.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cuda {

class held_scratch {
  public:
    held_scratch(executor& ex, const executor::scratch& taken) : ex_(ex), taken_(taken) {}
    // Without release(): an exception is under way, and says what is wrong.
    ~held_scratch() {
        if (!holds_) return;
        try {
            ex_.release_scratch(taken_);
        } catch (const error&) {
        }
    }
    held_scratch(const held_scratch&) = delete;
    held_scratch& operator=(const held_scratch&) = delete;

    [[nodiscard]] char* data() const { return static_cast<char*>(taken_.data); }
    // When everything that uses it has been enqueued.
    void release() {
        holds_ = false;
        ex_.release_scratch(taken_);
    }

  private:
    executor& ex_;
    executor::scratch taken_;
    bool holds_ = true;
};

}  // namespace upsweep::cuda
