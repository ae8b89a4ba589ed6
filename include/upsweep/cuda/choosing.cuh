// Compaction and partition: scans of how many elements are chosen, whose warps move elements instead of
// storing results.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/run_lengths.cuh"
#include "upsweep/cuda/words.cuh"
#include "upsweep/operators.hpp"

namespace upsweep::cuda {

enum class moving { elements, indices, values };  // values: by bins only, what lies beside elements

// The types of a compaction or partition: load(in0[i], in1[i], ...) is not zero where element i is chosen;
// then in0[i] as Out, or i, is moved. Counts are those of one launch; launches have at most launch_elements.
// Indices are packed as places of 16 bits, so that they widen no run.
template <moving What, class OutType, class LoadType, class... InTypes>
struct choose_types
    : scan_types<std::uint32_t, plus, std::conditional_t<What == moving::elements, OutType, std::uint8_t>,
                 std::uint32_t, LoadType, as_is, InTypes...> {
    using base =
        scan_types<std::uint32_t, plus, std::conditional_t<What == moving::elements, OutType, std::uint8_t>,
                   std::uint32_t, LoadType, as_is, InTypes...>;
    using Out = OutType;
    using tile_runs = run_totals<std::uint32_t, std::uint16_t>;  // of a row at most
    static constexpr bool chooses = true;
    static constexpr bool moves_elements = What == moving::elements;
    static constexpr bool has_own_heads = false;
    static constexpr bool tells_lengths = false;  // of runs whose first elements are moved
    using Lengths = no_lengths;
    using Packed = std::conditional_t<moves_elements, OutType, std::uint16_t>;
    static constexpr int widest_staged = base::widest > int(sizeof(Packed)) ? base::widest
                                                                            : int(sizeof(Packed));
    static constexpr std::uint64_t launch_elements = std::uint64_t{1} << 31;
};

// The same of the first elements of segments: load(in0[i], head). `Own`: the elements themselves are what
// heads are asked of, as the array that in0 is; load() says `head` then.
template <class OutType, class LoadType, class InType, class HeadsType, bool Own>
struct choose_heads_types : choose_types<moving::elements, OutType, LoadType, InType> {
    static constexpr bool has_heads = true;
    static constexpr bool has_own_heads = Own;
    using Heads = HeadsType;
    using Raw = raw_run_in_segments<choose_heads_types::items, InType>;
};

// The same, and how long the segments are, as integers of this type.
template <class LengthType, class OutType, class LoadType, class InType, class HeadsType>
struct encode_types : choose_heads_types<OutType, LoadType, InType, HeadsType, true> {
    static constexpr bool tells_lengths = true;
    using Lengths = run_lengths<LengthType>;
    // Beside each element that is packed lies its place.
    static constexpr int widest_staged =
        choose_heads_types<OutType, LoadType, InType, HeadsType, true>::widest_staged +
        int(sizeof(std::uint16_t));
};

template <class Types>
struct choose_arguments : scan_arguments<Types> {
    std::uint64_t room;           // elements that `out` has room for
    std::uint64_t first;          // elements of earlier launches,
    const std::uint64_t* before;  // of which so many are chosen, in device memory; null: 0
    std::uint64_t* upto;          // receives how many are after this launch; null: not wanted
    const std::uint64_t* chosen;  // of a partition: how many are in all;
    bool at_once;                 // or its blocks find out, before they move anything
    typename Types::Lengths lengths{};

    __device__ __forceinline__ std::uint64_t chosen_before() const { return before == nullptr ? 0 : *before; }
    __device__ __forceinline__ void store_upto(std::uint64_t count) const {
        if (upto != nullptr) *upto = count;
    }
};

namespace detail {

template <class Types, int... k>
__device__ __forceinline__ bool is_chosen(const scan_arguments<Types>& arguments, std::uint64_t i,
                                          std::integer_sequence<int, k...>) {
    const auto load = [&](const auto&... also) {
        return arguments.load(static_cast<const typename Types::template In<k>*>(arguments.in[k])[i]...,
                              also...) != 0;
    };
    if constexpr (Types::has_heads)
        return load(arguments.heads.template bits<1>(i, arguments.size(), false) != 0);
    else
        return load();
}
// Whether element i is chosen, straight from memory.
template <class Types>
__device__ __forceinline__ bool is_chosen(const scan_arguments<Types>& arguments, std::uint64_t i) {
    return is_chosen(arguments, i, std::make_integer_sequence<int, Types::inputs>{});
}

// Elements, or their places, that a warp packs in `bytes` bytes of shared memory.
template <class Packed>
class packed_elements {
    using unit = natural_unit<int(alignof(Packed)), int(sizeof(Packed))>;

  public:
    // Whether an element is put by one access.
    static constexpr bool in_units = sizeof(Packed) == sizeof(unit) && sizeof(unit) <= 8;

    __device__ __forceinline__ packed_elements(char* area, int bytes) : area_(area), bytes_(bytes) {}

    // Where put_next() puts element `index`.
    __device__ __forceinline__ std::uint32_t address(int index) const {
        return static_cast<std::uint32_t>(__cvta_generic_to_shared(area_)) +
               unsigned(index) * unsigned(sizeof(Packed));
    }
    // Puts an element at `next`, which goes on by one, if it is `chosen`, which is not 0 then. Three
    // instructions; of an index to which an element adds 1 the compiler makes six.
    __device__ __forceinline__ static void put_next(unsigned chosen, std::uint32_t& next,
                                                    const Packed& element) requires in_units {
        const auto words = to_words(element);
#define UPSWEEP_PUT_NEXT(store, size, ...)                                   \
    asm volatile(                                                            \
        "{\n.reg .pred chosen;\nsetp.ne.u32 chosen, %1, 0;\n"                \
        "@chosen st.shared." store ";\n@chosen add.u32 %0, %0, " size ";\n}" \
        : "+r"(next)                                                         \
        : "r"(chosen), __VA_ARGS__                                           \
        : "memory")
        if constexpr (sizeof(Packed) == 1)
            UPSWEEP_PUT_NEXT("u8 [%0], %2", "1", "r"(words.word[0]));
        else if constexpr (sizeof(Packed) == 2)
            UPSWEEP_PUT_NEXT("u16 [%0], %2", "2", "r"(words.word[0]));
        else if constexpr (sizeof(Packed) == 4)
            UPSWEEP_PUT_NEXT("u32 [%0], %2", "4", "r"(words.word[0]));
        else
            UPSWEEP_PUT_NEXT("v2.u32 [%0], {%2, %3}", "8", "r"(words.word[0]), "r"(words.word[1]));
#undef UPSWEEP_PUT_NEXT
    }
    // Puts an element at `next` if it is `chosen`, else at `other` or, if that is behind it, `last`. The one
    // that it goes to goes on by one.
    __device__ __forceinline__ static void put_next_of(unsigned chosen, std::uint32_t& next,
                                                       std::uint32_t& other, std::uint32_t last,
                                                       const Packed& element) requires in_units {
        std::uint32_t to;
        asm("{\n.reg .pred chosen;\n.reg .b32 held;\nsetp.ne.u32 chosen, %3, 0;\nmin.u32 held, %1, %4;\n"
            "selp.b32 %2, %0, held, chosen;\n@chosen add.u32 %0, %0, %5;\n@!chosen add.u32 %1, %1, %5;\n}"
            : "+r"(next), "+r"(other), "=r"(to)
            : "r"(chosen), "r"(last), "n"(int(sizeof(Packed))));
        unit own;
        std::memcpy(&own, &element, sizeof own);
        *static_cast<unit*>(__cvta_shared_to_generic(to)) = own;
    }
    __device__ __forceinline__ void put(int index, const Packed& element) const {
        unit parts[sizeof(Packed) / sizeof(unit)];
        std::memcpy(parts, &element, sizeof(Packed));
        auto* const to = reinterpret_cast<unit*>(area_) + index * int(sizeof(Packed) / sizeof(unit));
#pragma unroll
        for (int k = 0; k < int(sizeof(Packed) / sizeof(unit)); ++k) to[k] = parts[k];
    }

    __device__ __forceinline__ Packed get(int index) const {
        return reinterpret_cast<const Packed*>(area_)[index];
    }

    // After all lanes have put theirs and met: elements [first, first + count) to `to`, 16 aligned bytes at a
    // time where that is possible.
    __device__ __forceinline__ void deliver(Packed* to, int first, int count, int lane) const {
        const char* const from = area_ + first * int(sizeof(Packed));
        auto* const begin = reinterpret_cast<char*>(to);
        const int bytes = count * int(sizeof(Packed));
        int head = int((16 - reinterpret_cast<std::uintptr_t>(begin) % 16) % 16);
        // Up to 15 bytes in front of a piece and 16 behind it are read with it, which must be this warp's
        // too: others write theirs meanwhile.
        const auto in_front = reinterpret_cast<std::uintptr_t>(from + head) % 16;
        if (from + head - in_front < area_) head += 16;
        if (head > bytes) head = bytes;
        const int readable = bytes_ - 16 - first * int(sizeof(Packed));
        const int whole = ((bytes < readable ? bytes : readable) - head) / 16 * 16;
        const int pieces_end = head + (whole > 0 ? whole : 0);
        const bool aligned = reinterpret_cast<std::uintptr_t>(from + head) % 16 == 0;
        for (int at = lane * int(sizeof(unit)); at < head; at += 32 * int(sizeof(unit)))
            *reinterpret_cast<unit*>(begin + at) = *reinterpret_cast<const unit*>(from + at);
        for (int at = head + lane * 16; at < pieces_end; at += 32 * 16) {
            const word_array<4> words = read_run<16, int(alignof(Packed))>(from + at, aligned, lane);
            *reinterpret_cast<uint4*>(begin + at) = {words.word[0], words.word[1], words.word[2],
                                                     words.word[3]};
        }
        for (int at = pieces_end + lane * int(sizeof(unit)); at < bytes; at += 32 * int(sizeof(unit)))
            *reinterpret_cast<unit*>(begin + at) = *reinterpret_cast<const unit*>(from + at);
    }
    // The same with places, which become indices.
    template <class Index>
    __device__ __forceinline__ void deliver_indices(Index* to, int first, int count, std::uint64_t base,
                                                    int lane) const {
        const auto* const from = reinterpret_cast<const Packed*>(area_) + first;
#pragma unroll 4
        for (int k = lane; k < count; k += 32) to[k] = static_cast<Index>(base + from[k]);
    }

  private:
    char* area_;
    int bytes_;
};

// Where a warp packs elements and, where lengths of runs are told, their places.
template <class Types>
struct packing {
    packed_elements<typename Types::Packed> elements;
    packed_elements<std::uint16_t> places;
};

// How many of `count` elements that go to `begin` and behind there is room for.
__device__ __forceinline__ int fitting(std::uint64_t begin, int count, std::uint64_t room) {
    return begin >= room ? 0 : room - begin < unsigned(count) ? int(room - begin) : count;
}

// How many elements of this lane's run are among the first `valid` of its row.
template <class Types>
__device__ __forceinline__ int valid_of_run(int valid, int lane) {
    const int left = valid - lane * Types::items;
    return left < 0 ? 0 : left < Types::items ? left : Types::items;
}

// Packs those elements of a run that `bits` says, from index `at` on, and where `Both` those of its first
// `valid` that it does not say, from index `others` on, which is at most `limit`; `place` is that of the
// run's first among those packed together.
template <class Types, bool Both>
__device__ __forceinline__ void pack_run(const packing<Types>& area, const typename Types::Raw& raw,
                                         unsigned bits, int valid, int at, int others, int limit, int place) {
    using Packed = typename Types::Packed;
    const auto packed = [&](int m) -> Packed {
        if constexpr (Types::moves_elements)
            return convert<Packed>(unpack<typename Types::template In<0>>(raw.arrays().words, m));
        else
            return static_cast<Packed>(place + m);
    };
    if constexpr (Both && packed_elements<Packed>::in_units) {
        std::uint32_t next = area.elements.address(at), other = area.elements.address(others);
        const std::uint32_t last = area.elements.address(limit);
#pragma unroll
        for (int m = 0; m < Types::items; ++m)
            if (m < valid) area.elements.put_next_of(bits & 1u << m, next, other, last, packed(m));
    } else if constexpr (packed_elements<Packed>::in_units) {
        std::uint32_t next = area.elements.address(at);
        [[maybe_unused]] std::uint32_t next_place = area.places.address(at);
#pragma unroll
        for (int m = 0; m < Types::items; ++m) {
            const unsigned chosen = bits & 1u << m;
            area.elements.put_next(chosen, next, packed(m));
            if constexpr (Types::tells_lengths)
                area.places.put_next(chosen, next_place, static_cast<std::uint16_t>(place + m));
        }
    } else {
#pragma unroll
        for (int m = 0; m < Types::items; ++m) {
            const bool chosen = (bits >> m & 1u) != 0;
            if (Both ? m < valid : chosen) {
                // Within the area whatever a predicate answers.
                area.elements.put(!Both || chosen ? at : min(others, limit), packed(m));
                if constexpr (Types::tells_lengths)
                    area.places.put(at, static_cast<std::uint16_t>(place + m));
            }
            at += chosen;
            others += !chosen;
        }
    }
}
// Delivers `count` elements from `first` on to place `begin` of the output, as far as there is room; `base`
// is the index that place 0 stands for.
template <class Types>
__device__ __forceinline__ void deliver(const choose_arguments<Types>& arguments,
                                        const packed_elements<typename Types::Packed>& area, int first,
                                        int count, std::uint64_t begin, std::uint64_t base, int lane) {
    const int fit = fitting(begin, count, arguments.room);
    if constexpr (Types::moves_elements)
        area.deliver(arguments.out + begin, first, fit, lane);
    else
        area.deliver_indices(arguments.out + begin, first, fit, base, lane);
}

// Where lengths of runs are told, those of the `count` runs of piece `first` / `Items` of a launch, which
// `begin` are before.
template <class Types, int Items>
__device__ __forceinline__ void deliver_lengths(const choose_arguments<Types>& arguments,
                                                const packed_elements<std::uint16_t>& places,
                                                std::uint64_t first, int count, std::uint64_t begin,
                                                int lane) {
    if constexpr (Types::tells_lengths) {
        static_assert(Items <= first_run::most_places);
        arguments.lengths.store(first / Items, arguments.first + first, begin, count, lane,
                                [&](int k) { return places.get(k); });
    }
}

}  // namespace detail

}  // namespace upsweep::cuda
