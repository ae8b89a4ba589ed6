// A scan of device memory in pieces that are cut anywhere: block by block with a carry, or, as ranks of a
// cluster do it, with the totals of all pieces found before any is scanned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "cuda/staging.hpp"
#include "upsweep/cuda/block_by_block.cuh"
#include "upsweep/cuda/piece_launch.cuh"
#include "upsweep/cuda/scan.cuh"

namespace upsweep::test {

template <class Span>
Span piece_of(const Span& all, std::size_t begin, std::size_t end, bool reverse) {
    return all.subspan(reverse ? all.size() - end : begin, end - begin);
}

template <class Acc, class In, class Out, class Op, class Load>
void scan_blocks(cuda::executor& ex, cuda::device_span<const In> in, cuda::device_span<Out> out,
                 bool exclusive, const Op& op, const Load& load, const cuda::scan_options<Acc>& options,
                 const std::vector<std::size_t>& cuts) {
    cuda::scan_carry<Acc> carry(ex);
    cuda::scan_options<Acc> now = options;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const std::size_t begin = cuts[k], end = cuts[k + 1];
        now.total = end == in.size() || has_identity<Op, Acc> ? options.total : nullptr;
        const auto x = piece_of(in, begin, end, options.reverse);
        const auto y = piece_of(out, begin, end, options.reverse);
        if (exclusive)
            cuda::detail::scan_block<true, Acc, In>(ex, carry, x, y, op, load, now);
        else
            cuda::detail::scan_block<false, Acc, In>(ex, carry, x, y, op, load, now);
        now.initial.reset();  // which counts in the first call
        now.device_initial = nullptr;
        EXPECT_EQ(carry.element_count(), end);
    }
}

// Pieces as ranks have them, of which each has the descriptions of all before it.
template <bool Exclusive, class Acc, class In, class Out, class Op, class Load>
void scan_ranks(cuda::executor& ex, cuda::device_span<const In> in, cuda::device_span<Out> out, const Op& op,
                const Load& load, const cuda::scan_options<Acc>& options,
                const std::vector<std::size_t>& cuts) {
    using types = cuda::detail::types_of<Acc, In, Out, Op, Load>;
    using launch = cuda::piece_launch<types, Exclusive>;
    std::vector<cuda::scan_arguments<types>> arguments;
    std::vector<launch> pieces;
    std::vector<void*> scratch;
    const std::size_t count = cuts.size() - 1;
    arguments.reserve(count);
    pieces.reserve(count);
    const auto allocate = [&](std::size_t bytes) {
        void* data = nullptr;
        expect_success(cudaMalloc(&data, bytes), "allocating scratch");
        expect_success(cudaMemset(data, device_staging::poison, bytes), "poisoning scratch");
        return data;
    };
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t begin = cuts[k], end = cuts[k + 1];
        cuda::scan_options<Acc> own = options;
        if (end != in.size()) own.total = nullptr;
        arguments.push_back(cuda::detail::checked_arguments<Exclusive, Acc, In>(
            ex, piece_of(in, begin, end, options.reverse), piece_of(out, begin, end, options.reverse), op,
            load, own, begin != 0));
        pieces.emplace_back(ex, arguments.back(), begin);
        scratch.push_back(allocate(launch::scratch_bytes(end - begin)));
    }
    const std::size_t bytes = launch::description_bytes(in.size());
    char* const all = static_cast<char*>(allocate(count * bytes));
    const auto description = [&](std::size_t k) {
        return reinterpret_cast<typename launch::description*>(all + k * bytes);
    };
    expect_success(cudaDeviceSynchronize(), "poisoning scratch");
    for (std::size_t k = 0; k < count; ++k) pieces[k].summarise(scratch[k], description(k));
    for (std::size_t k = count; k-- > 0;) {
        if (arguments[k].n == 0) continue;
        cuda::pieces_before before;
        if (cuts[k] != 0) before = {all, static_cast<std::ptrdiff_t>(bytes), static_cast<int>(k)};
        pieces[k].walk(scratch[k], description(k), before, nullptr);
        pieces[k].scan(scratch[k]);
    }
    expect_success(cudaStreamSynchronize(ex.stream()), "scanning pieces");
    for (void* const data : scratch) cudaFree(data);
    cudaFree(all);
}

}  // namespace upsweep::test
