// What has gone wrong in a collective call, and on which rank.
//
// A rank where something was thrown goes on to exchange messages, as the others expect, and throws at the
// end. With its messages its number goes round.
#pragma once

#include <exception>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::mpi {

inline constexpr int nobody = -1;

class failure {
  public:
    explicit failure(int own_rank) : own_rank_(own_rank) {}

    // The rank that failed first, as far as this one knows, or nobody.
    [[nodiscard]] int rank() const { return rank_; }
    // Takes note of what another rank told.
    void hear_of(int rank) {
        if (rank_ == nobody) rank_ = rank;
    }
    // Runs `work` unless somebody failed; keeps what it throws.
    template <class Work>
    void attempt(const Work& work) {
        if (rank_ != nobody) return;
        try {
            work();
        } catch (...) {
            own_ = std::current_exception();
            rank_ = own_rank_;
        }
    }
    // Null, or that.
    [[nodiscard]] const std::exception_ptr& thrown_here() const { return own_; }
    // Throws if anything has gone wrong: what was thrown here, or an upsweep::error that names the rank.
    void rethrow() const {
        if (own_) std::rethrow_exception(own_);
        if (rank_ != nobody)
            throw_error(errc::device,
                        "rank " + std::to_string(rank_) + ": threw an exception in the middle of this call");
    }

  private:
    int own_rank_;
    int rank_ = nobody;
    std::exception_ptr own_{};
};

}  // namespace upsweep::mpi
