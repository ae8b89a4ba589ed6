// Times CUDA scans beside a device-to-device copy of the same bytes and CUB, in one process: medians of event
// times, one line of JSON a cell (work, type, algorithm, n, bytes, seconds, copy_seconds, cub_seconds).
//
// A cell is wrong if its result differs from the reduce-then-scan's in any bit; the program then says so and
// fails. The tests compare with the scalar reference; this only keeps a broken build from being measured.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cub/cub.cuh>
#include <cuda/std/complex>
#include <cuda/std/iterator>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "upsweep/cuda/scan.cuh"

namespace bench {

// Two buffers of `bytes` bytes each; the first holds positive floats between 0.5 and 1, whatever type reads
// it.
struct arena {
    char* in = nullptr;
    char* out = nullptr;
    char* expected = nullptr;
    std::size_t bytes = 0;
};
const arena& memory();

// Median seconds of `work` in the default stream, after two repetitions that are not counted: of 15, or of
// 101 if one takes less than 0.1 ms.
double median_seconds(const std::function<void()>& work);
bool equal_bytes(const void* a, const void* b, std::size_t bytes);
bool wanted(const std::string& name);
void report(const std::string& work, const char* type, const char* algorithm, std::size_t n,
            std::size_t bytes, double seconds, double copy_seconds, double cub_seconds);
void fail(const std::string& what);

// The type by which CUB knows an element: the toolkit's, where it has one of the same bytes.
template <class T>
struct peer_type {
    using type = T;
};
template <>
struct peer_type<upsweep::float16> {
    using type = __half;
};
template <>
struct peer_type<upsweep::bfloat16> {
    using type = __nv_bfloat16;
};
template <class T>
struct peer_type<std::complex<T>> {
    using type = ::cuda::std::complex<T>;
};
template <class T>
using peer_type_t = typename peer_type<T>::type;

enum class way { inclusive, exclusive, reverse };
constexpr const char* name(way chosen) {
    return chosen == way::exclusive ? "exclusive" : chosen == way::reverse ? "reverse" : "inclusive";
}

struct variant {
    const char* name = nullptr;  // else that of the way
    bool in_place = false;
    std::size_t offset = 0;  // elements by which both arrays are moved
    bool every_algorithm = false;
};

// CUB's scan of the same elements, or with a null `scratch` how many bytes it needs.
template <class In, class Out, class Acc, way Way, class Peer>
void scan_of_cub(void* scratch, std::size_t& scratch_bytes, const In* in, Out* out, std::size_t n,
                 const Peer& peer) {
    using acc = peer_type_t<Acc>;
    const auto* const from = reinterpret_cast<const peer_type_t<In>*>(in);
    auto* const to = reinterpret_cast<peer_type_t<Out>*>(out);
    cudaError_t result = cudaSuccess;
    if constexpr (Way == way::exclusive)
        result = cub::DeviceScan::ExclusiveScan(scratch, scratch_bytes, from, to, peer, acc{}, n);
    else if constexpr (Way == way::reverse)
        result = cub::DeviceScan::InclusiveScan(scratch, scratch_bytes,
                                                ::cuda::std::make_reverse_iterator(from + n),
                                                ::cuda::std::make_reverse_iterator(to + n), peer, n);
    else if constexpr (std::is_same_v<In, Acc>)
        result = cub::DeviceScan::InclusiveScan(scratch, scratch_bytes, from, to, peer, n);
    else  // the initial value says in which type the elements are summed
        result = cub::DeviceScan::InclusiveScanInit(scratch, scratch_bytes, from, to, peer, acc{}, n);
    upsweep::cuda::check(result, "CUB");
}

// One cell: n elements of In scanned to Out in Acc. `peer` is the operator for CUB.
template <class In, class Out, class Acc, way Way = way::inclusive, class Op, class Peer>
void cell(const char* operation, const char* type, std::size_t n, const Op& op, const Peer& peer,
          const variant& how = {}) {
    namespace uc = upsweep::cuda;
    const std::string work = std::string(how.name != nullptr ? how.name : name(Way)) + "/" + operation;
    if (!wanted(work + "/" + type)) return;
    const std::size_t bytes = n * (sizeof(In) + sizeof(Out));
    In* const in = reinterpret_cast<In*>(memory().in) + how.offset;
    Out* const out = reinterpret_cast<Out*>(memory().out) + how.offset;
    uc::scan_options<Acc> options;
    options.reverse = Way == way::reverse;
    const auto scan = [&](uc::executor& ex, const In* from, Out* to) {
        const uc::device_span<const In> source(from, n);
        const uc::device_span<Out> target(to, n);
        if constexpr (Way == way::exclusive)
            upsweep::exclusive_scan<Acc>(ex, source, target, op, options);
        else
            upsweep::inclusive_scan<Acc>(ex, source, target, op, options);
    };

    Out* const expected = reinterpret_cast<Out*>(memory().expected);
    uc::executor reference(nullptr, uc::algorithm::reduce_then_scan);
    scan(reference, in, expected);
    reference.wait();

    const double copy = median_seconds(
        [&] { cudaMemcpyAsync(memory().out, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr); });
    std::size_t scratch_bytes = 0;
    void* scratch = nullptr;
    scan_of_cub<In, Out, Acc, Way>(nullptr, scratch_bytes, in, out, n, peer);
    uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
    const double cub = median_seconds([&] {
        const In* from = in;
        if constexpr (std::is_same_v<In, Out>)
            if (how.in_place) from = out;
        scan_of_cub<In, Out, Acc, Way>(scratch, scratch_bytes, from, out, n, peer);
    });
    cudaFree(scratch);
    const auto measure = [&](uc::algorithm choice) {
        uc::executor ex(nullptr, choice);
        scan(ex, in, out);
        ex.wait();
        if (!equal_bytes(out, expected, n * sizeof(Out))) fail(work + "/" + type);
        const double seconds = median_seconds([&] {
            if constexpr (std::is_same_v<In, Out>)
                scan(ex, how.in_place ? reinterpret_cast<In*>(out) : in, out);
            else
                scan(ex, in, out);
        });
        report(work, type, uc::name(choice), n, bytes, seconds, copy, cub);
    };
    measure(uc::algorithm::automatic);
    if (how.every_algorithm) {
        if (uc::executor().compute_capability() >= 90) measure(uc::algorithm::look_ahead);
        measure(uc::algorithm::look_back);
        measure(uc::algorithm::reduce_then_scan);
    }
}

// The groups of cells, each compiled by itself.
void bench_sizes();
void bench_words();
void bench_ways_of_words();
void bench_ways_of_doubles();
void bench_narrow();
void bench_mixed();
void bench_structs();
void bench_choosing();
void bench_axes();
void bench_binning();
void bench_bin_totals();
void bench_blocks();
void bench_segments();
void bench_runs();
void bench_totals();
void bench_repeating();
void bench_sorting();
void bench_top_k();

}  // namespace bench
