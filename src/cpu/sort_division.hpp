// Dividing more records than near caches hold, by several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "src/cpu/sort_local.hpp"
#include "src/cpu/sort_places.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

// From so many bytes on parts are stored past the caches; below, records go to 64 parts one by one.
inline constexpr std::size_t least_streamed = std::size_t{16} << 20;
inline constexpr int direct_division_bits = 6;
inline constexpr int most_division_bits = 9;
inline constexpr std::size_t most_parts = (std::size_t{1} << most_division_bits) + 2;

inline bool streams(const executor& ex, std::size_t bytes) {
    return bytes >= least_streamed || ex.streams(2 * bytes);
}

// Records divided by (key - lo) >> shift, with a part in front for what is below lo and one behind for what
// is above hi.
template <class Word>
struct clamped_division {
    clamped_division(const key_bounds<Word>& bounds, int bits)
        : lo(bounds.lo), inner(bounds, bits), parts(inner.parts + 2) {}
    [[nodiscard]] std::size_t part_of(Word key) const {
        const std::size_t part = std::min(inner.part_of(key), inner.parts) + 1;
        return key < lo ? 0 : part;
    }

    Word lo;
    division<Word> inner;
    std::size_t parts;
};

// Records on their way to their parts, two cache lines for each part, from which they are stored past the
// caches: single ones, to more than a hundred places in turn, miss the caches of lines and of pages.
template <class Record>
class line_buffers {
  public:
    static constexpr std::size_t line = 128 / sizeof(Record);

    // `to` is where the parts are.
    line_buffers(Record* to, const memory_kernels& memory) : to_(to), memory_(memory) {
        lead_ = reinterpret_cast<std::uintptr_t>(to) / sizeof(Record) % line;
    }
    line_buffers(const line_buffers&) = delete;
    line_buffers& operator=(const line_buffers&) = delete;

    // Parts have to begin lines of memory somewhere, so that elements may not lie across two of them.
    static bool takes(const Record* to) { return reinterpret_cast<std::uintptr_t>(to) % sizeof(Record) == 0; }

    // The places of the parts, to be counted up by put().
    void begin(const std::uint64_t* places, std::size_t parts) {
        std::copy_n(places, parts, firsts_);
        parts_ = parts;
    }
    void put(const Record& record, std::size_t part, std::uint64_t& place) {
        const std::size_t slot = (place + lead_) % line;
        lines_[part][slot] = record;
        ++place;
        if (slot == line - 1) send(part, place);
    }
    void finish(const std::uint64_t* places) {
        for (std::size_t part = 0; part < parts_; ++part) {
            const std::size_t slots = (places[part] + lead_) % line;
            if (slots != 0) send_slots(part, places[part], slots);
        }
        memory_.fence();
    }

  private:
    // The line of a part that ends in front of `end`.
    void send(std::size_t part, std::uint64_t end) {
        if (end - firsts_[part] < line) return send_slots(part, end, line);
        memory_.stream(to_ + (end - line), lines_[part], sizeof lines_[part], nullptr);
    }
    // The first `slots` of it, but for those in front of the part.
    void send_slots(std::size_t part, std::uint64_t end, std::size_t slots) {
        const std::size_t count = std::min<std::uint64_t>(slots, end - firsts_[part]);
        std::memcpy(to_ + (end - count), lines_[part] + (slots - count), count * sizeof(Record));
    }

    alignas(64) Record lines_[most_parts][line];
    std::uint64_t firsts_[most_parts];
    Record* to_;
    const memory_kernels& memory_;
    std::size_t lead_;
    std::size_t parts_ = 0;
};

// One division of n records: which part has how many of each chunk, and where those go.
template <class Record, class Order, class Division>
class shared_division {
  public:
    shared_division(executor& ex, std::size_t helpers, const Order& order, const Record* from, std::size_t n,
                    const Division& by)
        : ex_(ex), helpers_(helpers), order_(order), from_(from), n_(n), by_(by) {
        constexpr std::size_t chunks_per_thread = 4;
        constexpr std::size_t least_elements = 8 * 1024;
        chunks_ = std::clamp<std::size_t>(n / std::max(least_elements, 4 * by.parts), 1,
                                          helpers == 0 ? 1 : (helpers + 1) * chunks_per_thread);
        // One chunk does without: elements are under way already, and must not be lost.
        if (chunks_ > 1) memory_.reset(new (std::nothrow) std::uint64_t[chunks_ * by.parts]);
        if (memory_ == nullptr) chunks_ = 1;
        rows_ = memory_ == nullptr ? row_ : memory_.get();
    }

    // Counts, and finds places: afterwards end(part) is known.
    void count() {
        for_each_chunk([&](std::uint64_t* row, std::size_t first, std::size_t end) {
            const Order order = order_;
            const Division by = by_;
            std::fill_n(row, by.parts, 0);
            for (std::size_t i = first; i < end; ++i) ++row[by.part_of(order(bits_of(from_[i])))];
        });
        find_places(rows_, chunks_, by_.parts, ends_);
    }
    void move(Record* to, const memory_kernels& memory) {
        const bool buffered = streams(ex_, n_ * sizeof(Record)) && line_buffers<Record>::takes(to);
        for_each_chunk([&](std::uint64_t* row, std::size_t first, std::size_t end) {
            const Order order = order_;
            const Division by = by_;
            if (!buffered) {
                for (std::size_t i = first; i < end; ++i) {
                    const Record record = from_[i];
                    to[row[by.part_of(order(bits_of(record)))]++] = record;
                }
                return;
            }
            line_buffers<Record> lines(to, memory);
            lines.begin(row, by.parts);
            for (std::size_t i = first; i < end; ++i) {
                const Record record = from_[i];
                const std::size_t part = by.part_of(order(bits_of(record)));
                lines.put(record, part, row[part]);
            }
            lines.finish(row);
        });
    }
    shared_division(const shared_division&) = delete;
    shared_division& operator=(const shared_division&) = delete;

    [[nodiscard]] std::size_t parts() const { return by_.parts; }
    [[nodiscard]] std::size_t begin(std::size_t part) const { return part == 0 ? 0 : ends_[part - 1]; }
    [[nodiscard]] std::size_t end(std::size_t part) const { return ends_[part]; }

  private:
    template <class Body>
    void for_each_chunk(const Body& body) {
        const std::size_t elements = (n_ + chunks_ - 1) / chunks_;
        for_each_task(ex_, helpers_, chunks_, [&](std::size_t chunk) {
            body(rows_ + chunk * by_.parts, std::min(n_, chunk * elements),
                 std::min(n_, (chunk + 1) * elements));
        });
    }

    executor& ex_;
    std::size_t helpers_;
    Order order_;
    const Record* from_;
    std::size_t n_;
    Division by_;
    std::size_t chunks_;
    std::unique_ptr<std::uint64_t[]> memory_;
    std::uint64_t* rows_;
    std::uint64_t row_[most_parts];
    std::uint64_t ends_[most_parts];
};

}  // namespace upsweep::cpu
