// What the tiles of a pass that moves records by digits, of sorts' keys or of bins' numbers, tell each other:
// how many records they have of each digit.
//
// A tile publishes its counts twice: as its own, and added to those of its group of 8 tiles. What is before a
// tile is found by looking back, a thread a digit: at the counts of the tiles before it in its group, and of
// the groups before that, up to one whose last tile has published the sum over all tiles so far; all of these
// are read at once. Whoever waits, waits for a tile whose ticket was taken before, by a block that is
// running.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022; look-
// back: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::cuda::detail {

inline constexpr unsigned digit_group = 8;        // tiles
inline constexpr unsigned digit_count_bits = 14;  // of how many records a tile has of a digit
inline constexpr unsigned digit_most_records = (1u << digit_count_bits) - 1;
// Records of one portion, which is one launch of a pass; counts before a tile have 31 bits.
inline constexpr std::uint64_t digit_portion = std::uint64_t{1} << 30;

// In device memory.
struct digit_counts {
    // [tile][digit]: the tile's count, below in which of three launches after one another it was told, so
    // that what earlier ones left there means nothing. Cleared before the first launch.
    std::uint16_t* tiles;
    // [group][digit], cleared before the launch. Lower half: the count of those tiles of the group that have
    // told it, and above 27 bits how many did. Upper half: once it is known, the count of this group and of
    // all before it, and the highest bit.
    unsigned long long* groups;
};

inline constexpr unsigned digits_told = 256;  // of a tile, at most

// Of up to so many tiles a launch and so many launches, whose counts lie behind one another in memory that is
// cleared: the groups' words of every launch, and the tiles' behind them.
struct digit_counts_layout {
    std::uint64_t groups, tiles_at, bytes;  // groups: of a launch

    digit_counts_layout(std::uint64_t tiles, std::uint64_t launches)
        : groups((tiles + digit_group - 1) / digit_group),
          tiles_at(launches * groups * digits_told * sizeof(unsigned long long)),
          bytes(tiles_at + tiles * digits_told * sizeof(std::uint16_t)) {}
    // Those of a launch.
    [[nodiscard]] digit_counts at(char* memory, std::uint64_t launch) const {
        return {reinterpret_cast<std::uint16_t*>(memory + tiles_at),
                reinterpret_cast<unsigned long long*>(memory) + launch * groups * digits_told};
    }
};

// Of one tile and digit.
class digit_look_back {
  public:
    __device__ __forceinline__ digit_look_back(const digit_counts& counts, unsigned launch, unsigned tile,
                                               unsigned digit)
        : first_(counts.tiles + std::uint64_t(tile / digit_group) * (digit_group * digits_told) + digit),
          group_(counts.groups + std::uint64_t(tile / digit_group) * digits_told + digit),
          tag_((launch % 3 + 1) << digit_count_bits),
          groups_(tile / digit_group),
          in_group_(tile % digit_group) {}

    // Tells the tile's count, which nobody asks for unless tiles follow.
    __device__ __forceinline__ void publish(std::uint32_t count, bool tiles_follow) const {
        if (!tiles_follow) return;
        if (in_group_ + 1 != digit_group)
            asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(first_ + in_group_ * digits_told),
                         "h"(static_cast<std::uint16_t>(tag_ | count))
                         : "memory");
        atomicAdd(reinterpret_cast<unsigned*>(group_), 1u << count_bits | count);
    }
    // Records of the digit in all tiles before. Reads all that may be needed at once, again and again until
    // all of it has been told.
    __device__ __forceinline__ std::uint32_t records_before() const {
        for (;; __nanosleep(pause)) {
            std::uint32_t seen[digit_group - 1];
            group_word seen_group[window];
#pragma unroll
            for (unsigned k = 0; k < digit_group - 1; ++k) {
                seen[k] = tag_;
                if (k < in_group_) seen[k] = read_tile(k);
            }
#pragma unroll
            for (unsigned k = 0; k < window; ++k) {
                seen_group[k].known = 1u << 31;
                if (k < groups_) seen_group[k] = read_group(k);
            }
            // Where one was not told, what is above the counts' bits is not the tag.
            std::uint32_t sum = 0, wrong = 0;
#pragma unroll
            for (unsigned k = 0; k < digit_group - 1; ++k) {
                sum += seen[k];
                wrong |= seen[k] ^ tag_;
            }
            if (wrong >> digit_count_bits != 0) continue;
            sum -= (digit_group - 1) * tag_;
            unsigned found = 0;
#pragma unroll
            for (unsigned k = 0; k < window; ++k)
                if (found == k) found = add_group(seen_group[k], sum, found);
            if (found < window) continue;
            for (; found < groups_; __nanosleep(pause)) found = add_group(read_group(found), sum, found);
            return sum;
        }
    }
    // Tells the count of this tile and all before it, if it is the last of its group.
    __device__ __forceinline__ void publish_group(std::uint32_t count) const {
        if (in_group_ + 1 == digit_group)
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(reinterpret_cast<unsigned*>(group_) + 1),
                         "r"(1u << 31 | count)
                         : "memory");
    }

  private:
    struct group_word {
        std::uint32_t told, known;
    };
    static constexpr unsigned window = 4;  // groups looked at together
    static constexpr unsigned count_bits = 27;
    static constexpr unsigned pause = 50;  // ns
    static_assert(digit_group * (digit_most_records + 1) <= 1u << count_bits && digit_group < 32);

    // Adds what the word of group k says to `sum`; returns the next group to look at, which is this one if it
    // has not been told, or none.
    __device__ __forceinline__ static unsigned add_group(const group_word& word, std::uint32_t& sum,
                                                         unsigned k) {
        if (word.known >> 31 != 0) {
            sum += word.known & ~(1u << 31);
            return ~0u;
        }
        if (word.told >> count_bits != digit_group) return k;
        sum += word.told & ((1u << count_bits) - 1);
        return k + 1;
    }
    // Of the tile that is number k of the group.
    __device__ __forceinline__ std::uint32_t read_tile(unsigned k) const {
        std::uint16_t word;
        asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];"
                     : "=h"(word)
                     : "l"(first_ + k * digits_told)
                     : "memory");
        return word;
    }
    // Of the group that is k before the one before this: two words, each of which is written by itself.
    __device__ __forceinline__ group_word read_group(unsigned k) const {
        group_word word;
        asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                     : "=r"(word.told), "=r"(word.known)
                     : "l"(group_ - (k + 1) * std::uint64_t(digits_told))
                     : "memory");
        return word;
    }

    std::uint16_t* first_;  // of the group's first tile
    unsigned long long* group_;
    std::uint32_t tag_;
    unsigned groups_, in_group_;
};

}  // namespace upsweep::cuda::detail
