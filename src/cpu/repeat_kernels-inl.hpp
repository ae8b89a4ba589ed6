// Repeated elements: of each as many bytes are stored as most have results in, and the next one's behind its
// own.

#if defined(UPSWEEP_REPEAT_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_REPEAT_KERNELS_INL_HPP
#undef UPSWEEP_REPEAT_KERNELS_INL_HPP
#else
#define UPSWEEP_REPEAT_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/portable_repeat.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

struct repetition {
    template <class Count>
    static std::uint64_t sum(const void* counts, std::size_t n, std::uint64_t* any) {
        return portable::repetition::sum<Count>(counts, n, any);
    }
    template <class Count>
    static void widen(std::uint64_t* to, const void* counts, std::size_t n) {
        portable::repetition::widen<Count>(to, counts, n);
    }

    template <class T>
    static repeated repeat(void* dst, std::size_t room, const void* src, std::uint64_t* counts,
                           std::size_t n) {
        auto* const to = static_cast<T*>(dst);
        const auto* const from = static_cast<const T*>(src);
        if (n <= few) return write_each(to, room, from, counts, n);
        const std::uint64_t all = sum_of(counts, n);
        // Most elements should have no more results than are stored at once: twice the mean.
        const auto fit = [&](std::size_t bytes) { return all <= bytes * n / (2 * sizeof(T)); };
        const auto write = fit(16)    ? &write_as<16, T>
                           : fit(32)  ? &write_as<32, T>
                           : fit(64)  ? &write_as<64, T>
                           : fit(128) ? &write_as<128, T>
                           : fit(192) ? &write_as<192, T>
                                      : &write_as<256, T>;
        return write(to, room, from, counts, n);
    }

  protected:
    // Past the caches.
    template <class T>
    static HWY_ATTR repeated stream(void* dst, std::size_t room, const void* src, std::uint64_t* counts,
                                    std::size_t n) {
        auto* const to = static_cast<T*>(dst);
        const auto* const from = static_cast<const T*>(src);
        const std::size_t before = (64 - reinterpret_cast<std::uintptr_t>(dst) % 64) % 64;  // the first line
        if (before % sizeof(T) != 0 || room < before / sizeof(T)) return repeat<T>(dst, room, src, counts, n);
        repeated done = before == 0 ? repeated{0, 0} : repeat<T>(dst, before / sizeof(T), src, counts, n);
        if (done.results != before / sizeof(T)) return done;
        stream_lines(to, room, from, counts, n, done);
        const repeated last = repeat<T>(to + done.results, room - done.results, from + done.elements,
                                        counts + done.elements, n - done.elements);
        return {done.elements + last.elements, done.results + last.results};
    }

  private:
    // So few elements are done before their counts are added up.
    static constexpr std::size_t few = 16;
    // Stored at once, behind what is stored of every element, of one that has more results.
    static constexpr std::size_t group_bytes = 256;
    // A vector of so many bytes, or the largest one.
    template <std::size_t Bytes, class T>
    using part = hn::CappedTag<T, Bytes / sizeof(T)>;

    // Counts that have just been stored, 32 bytes at once or more. A load of more than one store made waits
    // until all stores before it are done, the results of an earlier call among them.
    static HWY_ATTR std::uint64_t sum_of(const std::uint64_t* counts, std::size_t n) {
        constexpr std::size_t together = 8;
        const hn::CappedTag<std::uint64_t, 4> d;
        auto sums = hn::Zero(d);
        std::size_t i = 0;
        for (; i + together <= n; i += together)
            for (std::size_t k = 0; k < together; k += hn::MaxLanes(d))
                sums = hn::Add(sums, hn::LoadU(d, counts + i + k));
        std::uint64_t all = hn::GetLane(hn::SumOfLanes(d, sums));
        for (; i < n; ++i) all += counts[i];
        return all;
    }
    // Of every element so many bytes are stored, whether it has as many results or not, so that no branch
    // depends on the counts of those that have fewer.
    template <std::size_t Bytes, class T>
    static HWY_ATTR repeated write_as(T* to, std::size_t room, const T* from, std::uint64_t* counts,
                                      std::size_t n) {
        constexpr std::size_t stored = Bytes / sizeof(T);
        std::size_t i = 0, at = 0;
        while (i < n) {
            // All up to there have room, if none has more results than are stored.
            const std::size_t end = i + std::min(n - i, (room - at) / stored);
            if (i == end) break;
            if constexpr (Bytes <= 64) {  // of so few stores a loop's own instructions would be many
                for (; i + 4 <= end; i += 4) {
                    const std::uint64_t a = counts[i], b = counts[i + 1], c = counts[i + 2],
                                        d = counts[i + 3];
                    if (a > stored || b > stored || c > stored || d > stored) break;
                    T* const first = to + at;
                    store<Bytes>(first, from[i]);
                    store<Bytes>(first + a, from[i + 1]);
                    store<Bytes>(first + a + b, from[i + 2]);
                    store<Bytes>(first + a + b + c, from[i + 3]);
                    at += a + b + c + d;
                }
            }
            std::uint64_t count = 0;
            for (; i < end; ++i) {
                count = counts[i];
                store<Bytes>(to + at, from[i]);
                if (count > stored) break;
                at += count;
            }
            if (i == end) continue;
            const std::size_t results = std::min<std::uint64_t>(count, room - at);
            T* const next = to + at + stored;
            at += results;
            if constexpr (Bytes < group_bytes)
                write_rest_apart(next, to + at, room - at, from[i]);
            else
                write_rest(next, to + at, room - at, from[i]);
            if (results != count) {
                counts[i] = count - results;
                return {i, at};
            }
            ++i;
        }
        const repeated last = write_each(to + at, room - at, from + i, counts + i, n - i);
        return {i + last.elements, at + last.results};
    }
    // The same where nothing else than results may be stored.
    template <class T>
    static HWY_NOINLINE HWY_ATTR repeated write_each(T* to, std::size_t room, const T* from,
                                                     std::uint64_t* counts, std::size_t n) {
        std::size_t i = 0, at = 0;
        for (; i < n && counts[i] <= room - at; ++i) {
            fill(to + at, counts[i], from[i]);
            at += counts[i];
        }
        if (i == n) return {n, at};
        fill(to + at, room - at, from[i]);
        counts[i] -= room - at;
        return {i, room};
    }
    template <std::size_t Bytes, class T>
    static HWY_INLINE void store(T* to, T element) {
        const part<Bytes, T> d;
        const auto value = hn::Set(d, element);
        for (std::size_t i = 0; i < Bytes / sizeof(T); i += hn::MaxLanes(d)) hn::StoreU(value, d, to + i);
    }
    // `count` results and nothing else. Runs of elements of 8 bytes are long enough for vectors that cross no
    // cache line: 1 cycle a line on a Zen 5, instead of 1.4.
    template <class T>
    static HWY_INLINE void fill(T* to, std::size_t count, T element) {
        constexpr std::size_t width = lanes<T>;
        const full<T> d;
        if (count < width) return fill_less<width * sizeof(T) / 2>(to, count, element);
        const auto value = hn::Set(d, element);
        T* const last = to + count - width;
        hn::StoreU(value, d, to);
        to += sizeof(T) == 8 ? to_boundary(to) : width;
        if constexpr (width * sizeof(T) < 64) {  // a cache line at a time
            constexpr std::ptrdiff_t line = 64 / sizeof(T);
            for (; last - to >= line; to += line)
                for (std::ptrdiff_t k = 0; k < line; k += width) hn::StoreU(value, d, to + k);
        }
        for (; to < last; to += width) hn::StoreU(value, d, to);
        hn::StoreU(value, d, last);
    }
    // How far it is to where a vector begins that crosses no cache line: a vector's length at most.
    template <class T>
    static HWY_INLINE std::size_t to_boundary(const T* to) {
        constexpr std::size_t bytes = lanes<T> * sizeof(T);
        return (bytes - reinterpret_cast<std::uintptr_t>(to) % bytes) / sizeof(T);
    }
    // Fewer than twice so many bytes: two stores that overlap.
    template <std::size_t Bytes, class T>
    static HWY_INLINE void fill_less(T* to, std::size_t count, T element) {
        constexpr std::size_t stored = Bytes / sizeof(T);
        if (count >= stored) {
            store<Bytes>(to, element);
            store<Bytes>(to + count - stored, element);
        } else if constexpr (stored > 1) {
            fill_less<Bytes / 2>(to, count, element);
        }
    }
    // The results [next, end) of an element, behind which there is so much room.
    template <class T>
    static HWY_INLINE void write_rest(T* next, T* end, std::size_t room, T element) {
        constexpr std::size_t width = lanes<T>, group = group_bytes / sizeof(T);
        const full<T> d;
        if (room < group) return fill(next, static_cast<std::size_t>(end - next), element);
        // Vectors that cross no cache line, after the first one.
        const auto value = hn::Set(d, element);
        hn::StoreU(value, d, next);
        next += to_boundary(next);
        for (; next < end; next += group)
            for (std::size_t k = 0; k < group; k += width) hn::StoreU(value, d, next + k);
    }
    template <class T>
    static HWY_NOINLINE HWY_ATTR void write_rest_apart(T* next, T* end, std::size_t room, T element) {
        write_rest(next, end, room, element);
    }

    // Goes on, from the start of a cache line, to the last whole one that has room or to the end of the
    // elements. A vector that several elements share waits in a register until it is full.
    template <class T>
    static HWY_INLINE void stream_lines(T* to, std::size_t room, const T* from, std::uint64_t* counts,
                                        std::size_t n, repeated& done) {
        constexpr std::size_t width = lanes<T>;
        const full<T> d;
        std::size_t i = done.elements, at = done.results, filled = 0;
        std::size_t left = (room - at) / (64 / sizeof(T)) * (64 / sizeof(T));
        auto open = hn::Zero(d);
        for (; i < n; ++i) {
            const auto value = hn::Set(d, from[i]);
            open = hn::IfThenElse(hn::FirstN(d, filled), open, value);
            const std::size_t results = std::min<std::uint64_t>(counts[i], left);
            left -= results;
            filled += results;
            if (filled >= width) {
                hn::Stream(open, d, to + at);
                open = value;
                for (at += width, filled -= width; filled >= width; at += width, filled -= width)
                    hn::Stream(value, d, to + at);
            }
            if (counts[i] != results) {
                counts[i] -= results;
                break;
            }
        }
        T last[width];
        hn::StoreU(open, d, last);
        std::memcpy(to + at, last, filled * sizeof(T));
        done = {i, at + filled};
    }
};
struct streaming_repetition : repetition {
    template <class T>
    static repeated repeat(void* dst, std::size_t room, const void* src, std::uint64_t* counts,
                           std::size_t n) {
        return stream<T>(dst, room, src, counts, n);
    }
};
inline constexpr repeat_kernels repeat_table = repeat_table_of<repetition>();
inline constexpr repeat_kernels streaming_repeat_table = repeat_table_of<streaming_repetition>();

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
