// The scans under test, each behind the same names, and the block sizes to test them at.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "collectives/groupings.hpp"
#include "support/build.hpp"
#include "upsweep/collectives/blelloch.hpp"
#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/collectives/hillis_steele.hpp"
#include "upsweep/collectives/warp_scan.hpp"
#include "upsweep/core/portability.hpp"

namespace upsweep::test {

// Sizes around lanes, warps and powers of two; fewer and smaller under a sanitizer, where a large block is
// slow.
inline const std::vector<unsigned>& block_sizes() {
    static const std::vector<unsigned> sizes =
        sanitized ? std::vector<unsigned>{1, 3, 32, 33, 65, 128, 333}
                  : std::vector<unsigned>{1,   2,   3,   31,  32,  33,  63,  64,   65,  100,
                                          127, 128, 255, 256, 333, 512, 777, 1023, 1024};
    return sizes;
}

// An algorithm under test: its shared memory, its two scans, and its oracle.
struct hillis_steele_algorithm {
    template <class T>
    static constexpr unsigned scratch(unsigned threads, unsigned /*width*/) {
        return hillis_steele_scratch(threads);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto inclusive(const Arguments&... arguments) {
        return hillis_steele_inclusive_scan(arguments...);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto exclusive(const Arguments&... arguments) {
        return hillis_steele_exclusive_scan(arguments...);
    }
    template <class T, class Op>
    static scanned<T> expected(std::span<const T> x, unsigned /*width*/, const std::optional<T>& initial,
                               Op op) {
        return hillis_steele_grouping(x, initial, op);
    }
};

struct hillis_steele_double_algorithm : hillis_steele_algorithm {
    template <class T>
    static constexpr unsigned scratch(unsigned threads, unsigned /*width*/) {
        return hillis_steele_double_scratch(threads);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto inclusive(const Arguments&... arguments) {
        return hillis_steele_double_inclusive_scan(arguments...);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto exclusive(const Arguments&... arguments) {
        return hillis_steele_double_exclusive_scan(arguments...);
    }
};

struct blelloch_algorithm {
    template <class T>
    static constexpr unsigned scratch(unsigned threads, unsigned /*width*/) {
        return blelloch_scratch<T>(threads);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto inclusive(const Arguments&... arguments) {
        return blelloch_inclusive_scan(arguments...);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto exclusive(const Arguments&... arguments) {
        return blelloch_exclusive_scan(arguments...);
    }
    template <class T, class Op>
    static scanned<T> expected(std::span<const T> x, unsigned /*width*/, const std::optional<T>& initial,
                               Op op) {
        return blelloch_grouping(x, initial, op);
    }
};

struct warp_scans_algorithm {
    template <class T>
    static constexpr unsigned scratch(unsigned threads, unsigned width) {
        return block_scan_scratch(threads, width);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto inclusive(const Arguments&... arguments) {
        return block_inclusive_scan(arguments...);
    }
    template <class... Arguments>
    UPSWEEP_HOST_DEVICE static auto exclusive(const Arguments&... arguments) {
        return block_exclusive_scan(arguments...);
    }
    template <class T, class Op>
    static scanned<T> expected(std::span<const T> x, unsigned width, const std::optional<T>& initial, Op op) {
        return warp_scans_grouping(x, width, initial, op);
    }
};

// Every warp of the block scans by itself; the total is that of the thread's warp.
struct warp_algorithm {
    template <class T>
    static constexpr unsigned scratch(unsigned /*threads*/, unsigned /*width*/) {
        return 1;
    }
    template <class Block, class Shared, class... Arguments>
    UPSWEEP_HOST_DEVICE static auto inclusive(const Block& block, const Shared&,
                                              const Arguments&... arguments) {
        return warp_inclusive_scan(block.warp(), arguments...);
    }
    template <class Block, class Shared, class... Arguments>
    UPSWEEP_HOST_DEVICE static auto exclusive(const Block& block, const Shared&,
                                              const Arguments&... arguments) {
        return warp_exclusive_scan(block.warp(), arguments...);
    }
};

}  // namespace upsweep::test
