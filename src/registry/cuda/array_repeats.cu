// Elements repeated, as words of their size.
#include <cstdint>
#include <limits>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/moved_words.cuh"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/cuda/repeat.cuh"

namespace upsweep::registry::gpu {
namespace {

// repeat_sum of one count, and of two parts of an array, the earlier one on the left.
struct sum_of_count {
    template <class Count>
    __device__ repeat_sum operator()(const Count& count) const {
        return {0, count, count};
    }
};
struct sum_counts {
    __device__ repeat_sum operator()(const repeat_sum& a, const repeat_sum& b) const {
        const std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const std::uint64_t sum = std::uint64_t(a.results) + std::uint64_t(b.results);
        return {0, a.least < b.least ? a.least : b.least,
                sum < std::uint64_t(most) ? static_cast<std::int64_t>(sum) : most};
    }
};
// The same of offsets.
struct sum_of_offset {
    template <class Offset>
    __device__ repeat_sum operator()(const Offset& offset) const {
        return {offset, 0, offset};
    }
};
struct join_offsets {
    __device__ repeat_sum operator()(const repeat_sum& a, const repeat_sum& b) const {
        const bool ascends = a.least == 0 && b.least == 0 && a.results <= b.first;
        return {a.first, ascends ? 0 : -1, b.results};
    }
};

template <class Count>
void sum_given(cuda::executor& ex, cuda::device_span<const Count> counts, repeat_sum* found) {
    transform_reduce<repeat_sum>(ex, counts, found, sum_counts{}, sum_of_count{});
}
template <class Offset>
void sum_given(cuda::executor& ex, const cuda::by_offsets<Offset>& segments, repeat_sum* found) {
    transform_reduce<repeat_sum>(ex, segments.offsets(), found, join_offsets{}, sum_of_offset{});
}

// body(counts), what the calls of repeat.cuh take.
template <class Body>
void visit_counts(const repeat_counts& counts, const Body& body) {
    const auto as = [&]<class Count>(std::type_identity<Count>) {
        const cuda::device_span<const Count> each(static_cast<const Count*>(counts.each), counts.size);
        if (counts.are_offsets) return body(cuda::by_offsets<Count>(each));
        body(each);
    };
    switch (counts.type) {
        case dtype::int64:
            return as(std::type_identity<std::int64_t>{});
        case dtype::int32:
            return as(std::type_identity<std::int32_t>{});
        default:
            throw_error(errc::invalid_argument,
                        "counts: expected int32 or int64, but they are " + std::string(name(counts.type)));
    }
}

// body(in, out), spans of words.
template <class Body>
void visit_words(const words_to_repeat& call, const Body& body) {
    visit_word(call.element_bytes, [&]<class Word>(std::type_identity<Word>) {
        body(cuda::device_span<const Word>(static_cast<const Word*>(call.in), call.n),
             cuda::device_span<Word>(static_cast<Word*>(call.out), call.room));
    });
}

}  // namespace

void repeat_words(cuda::executor& ex, const repeat_counts& counts, const words_to_repeat& call,
                  std::uint64_t* count) {
    visit_counts(counts, [&](const auto& each) {
        visit_words(call, [&](const auto& in, const auto& out) { repeat(ex, in, each, out, count); });
    });
}

void repeat_words(cuda::executor& ex, std::uint64_t times, const words_to_repeat& call,
                  std::uint64_t* count) {
    visit_words(call, [&](const auto& in, const auto& out) { repeat(ex, in, times, out, count); });
}

void sum_repeats(cuda::executor& ex, const repeat_counts& counts, repeat_sum* found) {
    visit_counts(counts, [&](const auto& given) { sum_given(ex, given, found); });
}

void repeat_indices(cuda::executor& ex, const repeat_counts& counts, std::int64_t* out, std::size_t room,
                    std::uint64_t* count) {
    visit_counts(counts, [&](const auto& each) {
        upsweep::repeat_indices(ex, each, cuda::device_span<std::int64_t>(out, room), count);
    });
}

}  // namespace upsweep::registry::gpu
