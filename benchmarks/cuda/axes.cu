// Scans and linear recurrences along an axis, beside a copy of as many bytes. CUB has none.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench.cuh"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/recurrence.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

std::string text_of(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (const std::int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
    return text + ")";
}

// Whether one call takes more than ten copies.
bool is_slow(const std::function<void()>& call, double copy) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    cudaDeviceSynchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > 10 * copy;
}

// What is scanned along an axis: n elements, so many bytes read and written, `result_bytes` of them results.
struct cell {
    std::string work;
    const char* type;
    std::size_t n, sequences, bytes, result_bytes;
};

// scan(executor, results)
template <class Scan>
void measure(const cell& what, const Scan& scan) {
    // What every sequence has, by rows of the tree.
    uc::executor reference;
    reference.set_axis_way(uc::axis_way::rows);
    scan(reference, memory().expected);
    reference.wait();

    const double copy = median_seconds([&] {
        cudaMemcpyAsync(memory().out, memory().in, what.bytes / 2, cudaMemcpyDeviceToDevice, nullptr);
    });
    std::vector<uc::axis_way> ways{uc::axis_way::automatic};
    if (std::getenv("UPSWEEP_BENCH_EVERY_WAY") != nullptr) {
        ways = {uc::axis_way::automatic,    uc::axis_way::lanes,         uc::axis_way::word_lanes,
                uc::axis_way::turned_lanes, uc::axis_way::chunked_lanes, uc::axis_way::rows,
                uc::axis_way::columns,      uc::axis_way::lines,         uc::axis_way::line_tiles,
                uc::axis_way::lines_ahead,  uc::axis_way::line_by_line,  uc::axis_way::short_lines,
                uc::axis_way::packed_lanes};
    }
    for (const uc::axis_way way : ways) {
        if (way == uc::axis_way::line_by_line && what.sequences > 1000) continue;
        uc::executor ex;
        ex.set_axis_way(way);
        try {
            scan(ex, memory().out);
        } catch (const upsweep::error&) {
            continue;  // not by these strides
        }
        ex.wait();
        if (way != uc::axis_way::automatic && is_slow([&] { scan(ex, memory().out); }, copy)) continue;
        if (!equal_bytes(memory().out, memory().expected, what.result_bytes))
            fail(what.work + "/" + what.type);
        const double seconds = median_seconds([&] { scan(ex, memory().out); });
        report(what.work, what.type, uc::name(way == uc::axis_way::automatic ? ex.latest_axis_way() : way),
               what.n, what.bytes, seconds, copy, 0);
    }
}

cell cell_of(const char* type, const std::vector<std::int64_t>& shape, int axis, std::size_t read,
             std::size_t written) {
    std::size_t n = 1;
    for (const std::int64_t extent : shape) n *= static_cast<std::size_t>(extent);
    const auto length = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
    return {"axis " + std::to_string(axis) + "/" + text_of(shape),
            type,
            n,
            n / length,
            n * (read + written),
            n * written};
}

template <class In, class Out = In, class Op = upsweep::plus>
void along(const char* type, const std::vector<std::int64_t>& shape, int axis, const Op& op = {}) {
    const cell what = cell_of(type, shape, axis, sizeof(In), sizeof(Out));
    if (!wanted(what.work + "/" + type)) return;
    const uc::device_view<const In> in(reinterpret_cast<const In*>(memory().in), shape);
    measure(what, [&](uc::executor& ex, char* to) {
        using acc = std::conditional_t<std::is_same_v<In, Out>, upsweep::deduced, Out>;
        upsweep::inclusive_scan<acc>(ex, in, uc::device_view<Out>(reinterpret_cast<Out*>(to), shape), axis,
                                     op);
    });
}

template <class T>
void recurrence_along(const char* type, const std::vector<std::int64_t>& shape, int axis,
                      const upsweep::recurrence_options& options = {}) {
    const cell what = cell_of(type, shape, axis, 2 * sizeof(T), sizeof(T));
    if (!wanted(what.work + "/" + type)) return;
    const T* const in = reinterpret_cast<const T*>(memory().in);
    const uc::device_view<const T> a(in, shape), b(in + what.n, shape);
    measure(what, [&](uc::executor& ex, char* to) {
        upsweep::linear_recurrence(ex, a, b, 0.5f, uc::device_view<T>(reinterpret_cast<T*>(to), shape), axis,
                                   options);
    });
}

// With one coefficient for all.
template <class T>
void smoothing_along(const char* type, const std::vector<std::int64_t>& shape, int axis) {
    const cell what = cell_of(type, shape, axis, sizeof(T), sizeof(T));
    if (!wanted(what.work + "/" + type)) return;
    const uc::device_view<const T> b(reinterpret_cast<const T*>(memory().in), shape);
    measure(what, [&](uc::executor& ex, char* to) {
        upsweep::linear_recurrence(ex, 0.9f, b, 0.5f, uc::device_view<T>(reinterpret_cast<T*>(to), shape),
                                   axis);
    });
}

}  // namespace

void bench_axes() {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{16777216, 16},
                                                   {1048576, 256},
                                                   {16384, 16384},
                                                   {16, 16777216},
                                                   {64, 4096, 1024}}) {
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) along<float>("float", shape, axis);
    }
    along<float>("float", {67108864, 3}, 0);
    along<float>("float", {67108864, 3}, 1);
    for (const std::int64_t length : {10, 100, 101, 333, 1000})
        along<float>("float", {268435456 / length, length}, 1);
    along<upsweep::float16>("float16", {5368709, 100}, 1);
    along<float>("float", {1024, 1024}, 0);
    along<float>("float", {1024, 1024}, 1);
    along<double>("double", {16384, 8192}, 0);
    along<double>("double", {16384, 8192}, 1);
    along<std::uint8_t, std::uint32_t>("uint8>uint32", {4320, 7680}, 0);
    along<std::uint8_t, std::uint32_t>("uint8>uint32", {4320, 7680}, 1);
    along<upsweep::float16>("float16", {16384, 16384}, 0);
    along<upsweep::float16>("float16", {16384, 16384}, 1);

    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{16777216, 16}, {16384, 16384}, {64, 4096, 1024}, {8, 2048, 16384}}) {
        for (int axis = static_cast<int>(shape.size()) - 2; axis < static_cast<int>(shape.size()); ++axis)
            recurrence_along<float>("float recurrence", shape, axis);
    }
    recurrence_along<float>("float recurrence from the end", {16384, 16384}, 0, {.reverse = true});
    recurrence_along<float>("float recurrence from the end", {16384, 16384}, 1, {.reverse = true});
    recurrence_along<double>("double recurrence", {16384, 8192}, 0);
    recurrence_along<double>("double recurrence", {16384, 8192}, 1);
    for (const int axis : {0, 1}) {
        recurrence_along<upsweep::bfloat16>("bfloat16 recurrence", {16384, 16384}, axis);
        smoothing_along<float>("float, one coefficient", {16384, 16384}, axis);
        smoothing_along<double>("double, one coefficient", {16384, 8192}, axis);
        smoothing_along<upsweep::bfloat16>("bfloat16, one coefficient", {16384, 16384}, axis);
    }
}

}  // namespace bench
