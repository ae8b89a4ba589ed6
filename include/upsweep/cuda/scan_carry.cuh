// Where a CUDA scan that is given block by block stands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/piece_edges.cuh"

namespace upsweep::cuda {

// What stands to the left of the next block, in memory of the device.
template <class Acc>
struct carried_parts {
    tree_parts<Acc>* latest = nullptr;
    tree_parts<Acc>* next = nullptr;  // room for what will stand to the left of the one after it
    std::uint64_t element_count = 0;
    bool has_initial = false;

    // Whether there is anything.
    [[nodiscard]] bool has_value() const { return has_initial || element_count != 0; }
    // The next one has been filled in, behind `count` more elements.
    void advance(std::uint64_t count, bool with_initial) {
        std::swap(latest, next);
        element_count += count;
        has_initial = with_initial;
    }
};

// Belongs to one scan and to the stream of the executor that it is made with; what it holds lies in memory of
// the stream's device, which is allocated and freed in the stream's order.
template <class Acc>
class scan_carry {
  public:
    explicit scan_carry(executor& ex) : stream_(ex.stream()), device_(ex.device()) {
        const device_scope current(ex);
        void* data = nullptr;
        check(ex.allocate(&data, 2 * sizeof(tree_parts<Acc>)), "allocating what a scan carries");
        parts_.latest = static_cast<tree_parts<Acc>*>(data);
        parts_.next = parts_.latest + 1;
    }
    ~scan_carry() { free_in_order(std::min(parts_.latest, parts_.next), stream_, device_); }
    scan_carry(scan_carry&& other) noexcept
        : stream_(other.stream_), device_(other.device_), parts_(std::exchange(other.parts_, {})) {}
    scan_carry& operator=(scan_carry&& other) noexcept {
        std::swap(stream_, other.stream_);
        std::swap(device_, other.device_);
        std::swap(parts_, other.parts_);
        return *this;
    }

    // Elements scanned so far.
    [[nodiscard]] std::uint64_t element_count() const { return parts_.element_count; }
    // Begins another scan.
    void reset() { parts_ = {parts_.latest, parts_.next}; }

    // For engines.
    [[nodiscard]] cudaStream_t stream() const { return stream_; }
    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] carried_parts<Acc>& parts() { return parts_; }

  private:
    cudaStream_t stream_;
    int device_;
    carried_parts<Acc> parts_;
};

}  // namespace upsweep::cuda
