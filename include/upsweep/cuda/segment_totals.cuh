// Scans that store one result a segment instead of one an element.
//
// Types::Store keeps what it is told of first elements (counted_segments.cuh): the totals, and what else
// there is to be kept of them; the scan's total, in which the last segment's is, comes to it by finish()
// instead of going to arguments.total.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/counted_segments.cuh"
#include "upsweep/cuda/segment_values.cuh"

namespace upsweep::cuda {

namespace detail {

// An element as such a pair, whatever is beside it.
template <class Nominal, class T, bool Wide, class Op>
struct load_counted {
    static constexpr bool keeps_sides = true;
    load_in_segment<Nominal, T, Op> inner;

    template <class In>
    __device__ __forceinline__ counted_value<T, Wide> operator()(const In& x, bool head) const {
        return {inner(x, head).value, head ? 1u : 0u};
    }
    template <class In, class Key>
    __device__ __forceinline__ counted_value<T, Wide> operator()(const In& x, const Key&, bool head) const {
        return (*this)(x, head);
    }
};
// Where totals go: segment after segment, as far as there is room.
template <class OutType>
struct packed_places {
    using Out = OutType;
    Out* out;
    std::uint64_t room;

    // The total of segment k.
    __device__ __forceinline__ void put(std::uint64_t k, const Out& total) const {
        if (k < room) out[k] = total;
    }
};

// What becomes of first elements: nothing, or they are packed too.
struct no_first {
    using Out = char;
    static constexpr bool wanted = false;
};
template <class OutType>
struct first_elements {
    using Out = OutType;
    static constexpr bool wanted = true;
    Out* out;
    std::uint64_t room;

    // Of the elements or, if there is something beside them, of that.
    template <class In>
    __device__ __forceinline__ static Out of(const In& element) {
        return convert<Out>(element);
    }
    template <class In, class Beside>
    __device__ __forceinline__ static Out of(const In&, const Beside& element) {
        return convert<Out>(element);
    }
    // That of segment k.
    __device__ __forceinline__ void put(std::uint64_t k, const Out& element) const {
        if (k < room) out[k] = element;
    }
};

template <class Nominal, class Places, class First>
struct store_segments {
    using Out = typename Places::Out;
    Places places;
    First first;
    std::uint64_t* count;  // receives how many segments there are; null: not wanted

    static constexpr int round_up(int bytes) { return (bytes + 15) / 16 * 16; }

    // What is kept of the segments that begin in a row, in shared memory: of each the total of the one before
    // it, and its first element.
    template <int Row>
    struct packed {
        static constexpr int first_at = round_up(Row * int(sizeof(Out)));
        static constexpr int bytes =
            first_at + (First::wanted ? round_up(Row * int(sizeof(typename First::Out))) : 0);
        char* image;

        __device__ __forceinline__ Out& before(int k) const { return reinterpret_cast<Out*>(image)[k]; }
        __device__ __forceinline__ typename First::Out& element(int k) const {
            return reinterpret_cast<typename First::Out*>(image + first_at)[k];
        }
        template <class T, class... In>
        __device__ __forceinline__ void put(int k, const T& total, const In&... in) const {
            before(k) = convert<Out>(convert<Nominal>(total));
            if constexpr (First::wanted) element(k) = First::of(in...);
        }
    };

    // Of segment k, which is the at-th packed one of a row.
    template <int Row>
    __device__ __forceinline__ void put(std::uint64_t k, const packed<Row>& from, int at) const {
        if constexpr (First::wanted) first.put(k, from.element(at));
        if (k != 0) places.put(k - 1, from.before(at));
    }
    // The fold of the last of `segments`.
    template <class T>
    __device__ __forceinline__ void finish(std::uint64_t segments, const T& total) const {
        places.put(segments - 1, convert<Out>(convert<Nominal>(total)));
        if (count != nullptr) *count = segments;
    }
};

// `In` are the elements and, where first ones are wanted, what lies beside them.
template <bool Wide, class Value, class Out, class Op, class HeadsType, class Load, class Store, class... In>
struct segment_total_types : scan_types<counted_value<Value, Wide>, in_counted_segments<Op>, Out,
                                        counted_value<Value, Wide>, Load, Store, In...> {
    static constexpr bool keeps_segments = true;
    static constexpr bool is_wide = Wide;
    static constexpr bool has_heads = true;
    using Heads = HeadsType;
    using Raw = raw_run_in_segments<segment_total_types::items, In...>;
    using tile_runs = counted_totals<Value, Wide, segment_total_types::row>;
    // Of the shared memory in which what is kept of a row is packed.
    static constexpr int image_bytes = Store::template packed<segment_total_types::row>::bytes;
    static constexpr int widest_staged =
        std::max(segment_total_types::widest, (image_bytes - 1) / segment_total_types::row + 1);
};

}  // namespace detail

}  // namespace upsweep::cuda
