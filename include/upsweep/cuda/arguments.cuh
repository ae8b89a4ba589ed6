// What a scan's kernels are given, and the geometry they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "upsweep/core/tree.hpp"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

struct no_heads {};

// The types of a scan: inputs In..., of which load(in0[i], in1[i], ...) makes element i, combined by Op in
// Acc and stored as Out(store(accumulator)). Total is the type in which the caller wants the total.
template <class AccType, class OpType, class OutType, class TotalType, class LoadType, class StoreType,
          class... InTypes>
struct scan_types {
    using Acc = AccType;
    using Op = OpType;
    using Out = OutType;
    using Total = TotalType;
    using Load = LoadType;
    using Store = StoreType;
    static constexpr bool chooses = false;    // elements instead of results are stored: choosing.cuh
    static constexpr bool has_heads = false;  // load() is also told which elements begin a segment,
    using Heads = no_heads;                   // which this knows (segment_heads.cuh)
    static constexpr bool has_lines = false;  // many lines are scanned: look_ahead_lines.cuh
    // Whether operands never change sides, as load() says: going backwards is the direction in memory alone.
    static constexpr bool keeps_sides = requires { LoadType::keeps_sides; };
    static constexpr int inputs = sizeof...(InTypes);
    static constexpr int widest = [] {
        int widest = sizeof(OutType);
        ((widest = int(sizeof(InTypes)) > widest ? int(sizeof(InTypes)) : widest), ...);
        return widest;
    }();
    static constexpr int widest_staged = widest;  // of what passes through a warp's shared memory
    static constexpr int items = run_items<AccType, OpType, widest>;  // of a run
    static constexpr int row = 32 * items;
    static constexpr int tile = 32 * row;
    static constexpr int element_size[inputs] = {int(sizeof(InTypes))...};
    static constexpr int element_alignment[inputs] = {int(alignof(InTypes))...};
    using Raw = raw_run<items, InTypes...>;
    using tile_runs = run_totals<AccType>;
    template <int k>
    using In = std::tuple_element_t<k, std::tuple<InTypes...>>;
};

template <class Acc, class Op, class T>
inline constexpr bool packs_bytes<scan_types<Acc, Op, T, T, as_is, as_is, T>> = core::integer<T> &&
                                                                                sizeof(T) == 1 &&
                                                                                (std::same_as<Op, plus> ||
                                                                                 std::same_as<Op, minimum> ||
                                                                                 std::same_as<Op, maximum>);

template <class Types>
struct scan_arguments {
    using Acc = typename Types::Acc;

    const void* in[Types::inputs];
    typename Types::Out* out;
    std::uint64_t n;              // elements, or the most there may be if `length` is given
    const std::uint64_t* length;  // in device memory; null: n
    bool reverse;
    bool has_initial;
    const typename Types::Total* device_initial;  // if given, instead of `initial`
    typename Types::Total initial;
    typename Types::Total start;   // what an exclusive scan without an initial value stores first
    typename Types::Total* total;  // in device memory; null: not wanted
    typename Types::Op op;
    typename Types::Load load;
    typename Types::Store store;
    typename Types::Heads heads{};  // where Types::has_heads
    bool keeps_sides = false;       // whether operands do not change sides in this call

    __device__ __forceinline__ std::uint64_t size() const {
        if (length == nullptr) return n;
        const std::uint64_t wanted = *length;
        return wanted < n ? wanted : n;
    }
    __device__ __forceinline__ combiner<Acc, typename Types::Op> combine() const { return combine(reverse); }
    // For what knows the direction when it is compiled.
    __device__ __forceinline__ combiner<Acc, typename Types::Op> combine(bool reversed) const {
        if constexpr (requires { requires Types::keeps_sides; }) return {op, false};
        return {op, reversed && !keeps_sides};
    }
    __device__ __forceinline__ Acc initial_value() const {
        return static_cast<Acc>(device_initial != nullptr ? *device_initial : initial);
    }
    // By one thread of the grid, if there are no elements.
    __device__ __forceinline__ void store_empty_total() const {
        if (total != nullptr)
            *total = static_cast<typename Types::Total>(has_initial ? initial_value() : Acc(start));
    }
};

}  // namespace upsweep::cuda
