// A sequence in host memory scanned by a device, piece by piece: what is the same for every device.
//
// A piece is a whole number of supers, where the tree (docs/numerics.md) has nothing but S: the total of all
// pieces before is the initial value of the next one, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "registry/held.hpp"
#include "registry/scanner.hpp"
#include "upsweep/core/tree.hpp"

namespace upsweep::registry {

class piecewise_scanner : public scanner {
  public:
    // Throws upsweep::error (invalid_argument) if the initial value is of another type than accumulators.
    piecewise_scanner(std::string device, const scan_request& request);

    [[nodiscard]] std::size_t multiple() const override { return core::super_size; }
    [[nodiscard]] std::size_t usual_bytes() const override { return 4 * usual_piece_bytes; }
    void scan(const void* in, void* out, std::size_t n) final;
    // Throws upsweep::error (unsupported).
    void scan_segments(const void* in, const std::uint8_t* heads, void* out, std::size_t n) final;
    [[nodiscard]] value total() const final { return total_; }
    [[nodiscard]] std::uint64_t count() const final { return count_; }
    void restart() final;

  protected:
    struct piece {
        const std::byte* in;
        std::byte* out;
        std::size_t n;  // 1 to most()
    };
    // Scans a piece, which follows count() elements, or starts to.
    virtual void run(const piece& next) = 0;
    // Until all results are where they belong; returns the total of everything so far, as it is held.
    [[nodiscard]] virtual value finish() = 0;
    // After an error: until the device uses nothing that belongs to the scanner or its caller.
    virtual void abandon() noexcept {}

    [[nodiscard]] const scan_request& request() const { return request_; }
    // On held accumulators.
    [[nodiscard]] operation op() const { return held_.op; }
    [[nodiscard]] dtype held() const { return held_.held; }
    [[nodiscard]] conversion loads() const {
        return {request_.types.input, request_.types.accumulator, held()};
    }
    [[nodiscard]] conversion stores() const {
        return {request_.types.output, request_.types.accumulator, held()};
    }
    [[nodiscard]] std::size_t in_size() const { return size_of(request_.types.input); }
    [[nodiscard]] std::size_t out_size() const { return size_of(request_.types.output); }
    // Elements of a piece at most.
    [[nodiscard]] std::size_t most() const { return most_; }
    // What an exclusive scan stores first.
    [[nodiscard]] const value& start() const { return held_.start; }

  private:
    // Of the largest among elements, accumulators and results. Large enough that a transfer costs more than
    // starting it, small enough that memory for several pieces is made quickly.
    static constexpr std::size_t usual_piece_bytes = std::size_t{8} << 20;

    std::string device_;
    scan_request request_;
    held_request held_;
    std::size_t most_;
    std::uint64_t count_ = 0;
    value total_;  // an accumulator
};

}  // namespace upsweep::registry
