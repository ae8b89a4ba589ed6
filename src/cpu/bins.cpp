// Bin extraction on the CPU.
#include "upsweep/cpu/bins.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "src/cpu/bin_counts.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {
namespace {

// The place of what has no bin: behind every room, however often it is counted up.
constexpr std::uint64_t no_place = std::uint64_t{1} << 63;

// Elements in the order of their bins in a buffer in the near caches, from which each bin's run is copied to
// its place: single elements to a hundred places in turn, and more, miss the caches of lines and of pages. A
// piece of few bins, as ordered data has them, goes to their places at once.
class sorted_piece {
  public:
    static constexpr std::size_t most_elements = 4096;
    static constexpr std::size_t most_bins = 1024;

    static bool takes(const placement_of_bins& way, std::uint32_t bins) {
        return way.is_plain && way.out_bytes <= most_bytes / most_elements && bins >= least_bins &&
               bins <= most_bins;
    }

    sorted_piece(const classifier& by, const placement_of_bins& way) : by_(by), way_(way), local_(way) {
        local_.out = sorted_.data();
    }
    sorted_piece(const sorted_piece&) = delete;
    sorted_piece& operator=(const sorted_piece&) = delete;

    // Elements [first, first + count).
    void move(std::size_t first, std::size_t count, std::size_t room, std::uint64_t* at) {
        by_.classify(by_, first, count, found_.data());
        std::fill_n(ends_.data(), by_.bins, 0);
        add_bins(found_.data(), count, by_.bins, ends_.data());
        std::uint64_t begin = 0;
        std::size_t runs = 0;
        for (std::size_t bin = 0; bin < by_.bins; ++bin) {
            const std::uint64_t run = std::exchange(ends_[bin], begin);
            begin += run;
            runs += run != 0 ? 1 : 0;
        }
        if (runs < least_bins) return way_.move(way_, first, count, found_.data(), at, room);
        ends_[by_.bins] = no_place;
        way_.move(local_, first, count, found_.data(), ends_.data(), count);
        begin = 0;
        for (std::size_t bin = 0; bin < by_.bins; ++bin) {
            const std::uint64_t run = ends_[bin] - begin;
            const std::uint64_t written =
                std::min<std::uint64_t>(run, room - std::min<std::uint64_t>(at[bin], room));
            if (written != 0) {
                std::memcpy(static_cast<std::byte*>(way_.out) + at[bin] * way_.out_bytes,
                            sorted_.data() + begin * way_.out_bytes, written * way_.out_bytes);
            }
            at[bin] += run;
            begin = ends_[bin];
        }
    }

  private:
    static constexpr std::size_t most_bytes = 8 * most_elements;
    static constexpr std::size_t least_bins = 64;

    const classifier& by_;
    const placement_of_bins& way_;
    placement_of_bins local_;
    std::array<std::uint32_t, most_elements> found_;
    std::array<std::uint64_t, most_bins + 1> ends_;  // of the bins in sorted_
    alignas(64) std::array<std::byte, most_bytes> sorted_;
};

void move_all(const classifier& by, const placement_of_bins& way, std::size_t first, std::size_t end,
              std::size_t room, std::uint64_t* at) {
    at[by.bins] = no_place;
    if (sorted_piece::takes(way, by.bins)) {
        sorted_piece piece(by, way);
        for (; first < end; first += sorted_piece::most_elements)
            piece.move(first, std::min(sorted_piece::most_elements, end - first), room, at);
        return;
    }
    for_each_piece(by, first, end, [&](std::size_t i, std::size_t count, const std::uint32_t* found) {
        way.move(way, i, count, found, at, room);
    });
}

// One thread: the offsets are its counters, and then its places.
std::size_t run_alone(const classifier& by, const placement_of_bins& way, std::size_t n, std::size_t room,
                      std::uint64_t* offsets) {
    const std::size_t bins = by.bins;
    std::fill_n(offsets, bins, 0);
    count_bins(by, 0, n, offsets);
    std::uint64_t total = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const std::uint64_t count = offsets[bin];
        offsets[bin] = total;
        total += count;
    }
    move_all(by, way, 0, n, room, offsets);
    // Each place now is where its bin ends and the next one begins.
    std::copy_backward(offsets, offsets + bins, offsets + bins + 1);
    offsets[0] = 0;
    return total;
}

// A row for every chunk of the elements: a counter, later a place, for each bin and for what has none.
struct chunk_rows {
    std::size_t chunks;
    std::size_t elements;  // of a chunk
    std::size_t slots;     // of a row
    std::unique_ptr<std::uint64_t[]> counters;

    std::uint64_t* operator[](std::size_t chunk) const { return counters.get() + chunk * slots; }
};

chunk_rows plan(std::size_t helpers, std::size_t bins, std::size_t n) {
    constexpr std::size_t chunks_per_thread = 4;
    constexpr std::size_t least_elements = 4 * bin_piece;
    const std::size_t slots = bins + 1;
    const std::size_t chunks =
        std::min({(helpers + 1) * chunks_per_thread, n / least_elements, n / (2 * slots),
                  most_table_bytes / (slots * sizeof(std::uint64_t))});
    chunk_rows rows{1, n, slots, nullptr};
    if (helpers == 0 || chunks < 2) return rows;
    rows.counters.reset(new (std::nothrow) std::uint64_t[chunks * slots]);
    if (rows.counters == nullptr) return rows;
    rows.chunks = chunks;
    rows.elements = (n + chunks - 1) / chunks;
    return rows;
}

// From the chunks' counts to their places, bin by bin and within a bin chunk by chunk. Returns the sum.
std::size_t find_places(executor& ex, std::size_t helpers, const chunk_rows& rows, std::uint64_t* offsets) {
    constexpr std::size_t block = 8 * 1024;
    const std::size_t bins = rows.slots - 1;
    const std::size_t blocks = (bins + block - 1) / block;
    const auto for_each_block = [&](const auto& body) {
        for_each_task(ex, blocks == 1 ? 0 : helpers, blocks,
                      [&](std::size_t task) { body(task * block, std::min(bins, (task + 1) * block)); });
    };
    // offsets[b + 1] = the sum up to bin b, of its block at first.
    for_each_block([&](std::size_t first, std::size_t end) {
        std::uint64_t sum = 0;
        for (std::size_t bin = first; bin < end; ++bin) {
            for (std::size_t chunk = 0; chunk < rows.chunks; ++chunk) sum += rows[chunk][bin];
            offsets[bin + 1] = sum;
        }
    });
    offsets[0] = 0;
    for (std::size_t first = block; first < bins; first += block) {
        // The block's own sum stands in front of it once those before are in it.
        const std::size_t end = std::min(bins, first + block);
        offsets[end] += offsets[first];
    }
    for_each_block([&](std::size_t first, std::size_t end) {
        std::uint64_t place = offsets[first];
        for (std::size_t bin = first; bin < end; ++bin) {
            for (std::size_t chunk = 0; chunk < rows.chunks; ++chunk) {
                const std::uint64_t count = rows[chunk][bin];
                rows[chunk][bin] = place;
                place += count;
            }
            if (bin + 1 != end) offsets[bin + 1] = place;
        }
    });
    return offsets[bins];
}

}  // namespace

std::size_t run_bins(executor& ex, const classifier& by, const placement_of_bins& way, std::size_t n,
                     std::size_t room, std::uint64_t* offsets) {
    const std::size_t bytes = n * (2 * by.input_bytes + way.out_bytes);
    const std::size_t helpers = n == 0 ? 0 : ex.helpers_for(bytes * tuning::bins_cost);
    const chunk_rows rows = plan(helpers, by.bins, n);
    if (rows.chunks == 1) return run_alone(by, way, n, room, offsets);
    const auto for_each_chunk = [&](const auto& body) {
        for_each_task(ex, helpers, rows.chunks, [&](std::size_t chunk) {
            body(rows[chunk], std::min(n, chunk * rows.elements), std::min(n, (chunk + 1) * rows.elements));
        });
    };
    for_each_chunk([&](std::uint64_t* row, std::size_t first, std::size_t end) {
        std::fill_n(row, by.bins, 0);
        count_bins(by, first, end, row);
    });
    const std::size_t total = find_places(ex, helpers, rows, offsets);
    for_each_chunk([&](std::uint64_t* row, std::size_t first, std::size_t end) {
        move_all(by, way, first, end, room, row);
    });
    return total;
}

}  // namespace upsweep::cpu
