#include "registry/repeater.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "registry/visit.hpp"
#include "upsweep/error.hpp"
#include "upsweep/repeat.hpp"

namespace upsweep::registry {
namespace {

using word_pair = std::array<std::uint64_t, 2>;

void check_repeats_on(const device& where) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": elements are repeated on the CPU only");
}

// body(integers), a span of them.
template <class Body>
std::uint64_t visit_integers(const repeat_counts& counts, const Body& body) {
    return visit_type(counts.type, [&]<class T>(std::type_identity<T>) -> std::uint64_t {
        if constexpr (std::integral<T>) {
            using count = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
            return body(std::span(static_cast<const count*>(counts.each), counts.size));
        } else {
            throw_error(errc::invalid_argument,
                        "counts: expected integers, but they are " + std::string(name(counts.type)));
        }
    });
}
// body(counts), what detail::repeat takes.
template <class Body>
std::uint64_t visit_counts(const repeat_counts& counts, const Body& body) {
    return visit_integers(counts, [&]<class Count>(std::span<const Count> each) -> std::uint64_t {
        if (counts.are_offsets) return body(detail::offset_counts<Count>(by_offsets<Count>(each)));
        return body(detail::each_count<Count>(each));
    });
}

bool is_one_for_all(const repeat_counts& counts, std::size_t n) {
    return !counts.are_offsets && counts.size == 1 && n != 1;
}
// That one count.
std::uint64_t one_of(const repeat_counts& counts) {
    return visit_integers(counts, []<class Count>(std::span<const Count> each) {
        if (each[0] < Count(0)) {
            throw_error(errc::invalid_argument,
                        "counts: must not be negative, but one is " + std::to_string(each[0]));
        }
        return static_cast<std::uint64_t>(each[0]);
    });
}

// The same counts again and again: from any place on, a block of them lies in one piece. They can be, and so
// can the sum of them all.
class counts_of_sequences {
  public:
    template <class Counts>
    counts_of_sequences(const Counts& counts, const cpu::repeat_kernels& kernels)
        : n_(counts.elements()), all_(n_ + cpu::repeat_block) {
        cpu::repetition of{};
        counts.describe(of);
        for (std::size_t i = 0; i < n_; i += cpu::repeat_block)
            of.load(of, kernels, i, std::min(cpu::repeat_block, n_ - i), all_.data() + i);
        for (std::size_t i = 0; i < cpu::repeat_block; ++i) all_[n_ + i] = all_[i];
    }

    void describe(cpu::repetition& of) const {
        of.counts = this;
        of.sum = &sum;
        of.load = &load;
    }
    [[noreturn]] void refuse() const { detail::throw_count_sum(); }

  private:
    static const std::uint64_t* at(const cpu::repetition& of, std::size_t i) {
        const counts_of_sequences& counts = *static_cast<const counts_of_sequences*>(of.counts);
        return counts.all_.data() + i % counts.n_;
    }
    static bool sum(const cpu::repetition& of, const cpu::repeat_kernels& kernels, std::size_t first,
                    std::size_t count, std::uint64_t* sum) {
        std::uint64_t any = 0;
        *sum = kernels.sum[3](at(of, first), count, &any);
        return true;
    }
    static void load(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t first,
                     std::size_t count, std::uint64_t* to) {
        std::copy_n(at(of, first), count, to);
    }

    std::size_t n_;
    std::vector<std::uint64_t> all_;
};

// Of cpu::repetition, for rows of out_bytes; body(dst, src, count) writes a row so often, where there is room
// for one at least.
template <class Body>
cpu::repeated write_rows(const cpu::repetition& of, std::size_t first, std::size_t count,
                         std::uint64_t* counts, void* dst, std::size_t room, const Body& body) {
    const std::size_t bytes = of.out_bytes;
    const std::byte* const from = static_cast<const std::byte*>(of.in) + first * bytes;
    std::byte* const to = static_cast<std::byte*>(dst);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t part = std::min<std::uint64_t>(counts[i], room - at);
        if (at != room) body(to + at * bytes, from + i * bytes, part);
        at += part;
        if (part != counts[i]) {
            counts[i] -= part;
            return {i, at};
        }
    }
    return {count, at};
}

// Rows of `step` bytes or more by pieces of so many, of which the last two may overlap. A row is written once
// whether it is wanted or not, which no branch decides then: what follows comes over it.
constexpr std::size_t longest_short_row = 128;
template <std::size_t step>
cpu::repeated write_short_rows(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t first,
                               std::size_t count, std::uint64_t* counts, void* dst, std::size_t room) {
    const std::size_t bytes = of.out_bytes, last = bytes - step;
    const auto copy = [=](std::byte* to, const std::byte* from) {
        for (std::size_t at = 0; at < last; at += step) std::memcpy(to + at, from + at, step);
        std::memcpy(to + last, from + last, step);
    };
    return write_rows(of, first, count, counts, dst, room,
                      [=](std::byte* to, const std::byte* from, std::uint64_t part) {
                          copy(to, from);
                          for (std::uint64_t k = 1; k < part; ++k) copy(to += bytes, from);
                      });
}

// What has been written is copied, more of it each time, while it is near.
cpu::repeated write_long_rows(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t first,
                              std::size_t count, std::uint64_t* counts, void* dst, std::size_t room) {
    constexpr std::size_t near_bytes = 4096;
    const std::size_t bytes = of.out_bytes, most = std::max<std::size_t>(1, near_bytes / bytes);
    return write_rows(of, first, count, counts, dst, room,
                      [=](std::byte* to, const std::byte* from, std::size_t part) {
                          if (part == 0) return;
                          std::memcpy(to, from, bytes);
                          for (std::size_t done = 1; done < part;) {
                              const std::size_t more = std::min({done, part - done, most});
                              std::memcpy(to + done * bytes, to, more * bytes);
                              done += more;
                          }
                      });
}

// What writes elements of a call, and how many bytes of them are asked for as they come up: none of long
// rows, most of which may not be wanted.
struct writer {
    decltype(cpu::repetition::write) write;
    std::size_t in_bytes;
};
writer writer_of_rows(std::size_t bytes) {
    if (bytes > longest_short_row) return {&write_long_rows, 0};
    if (bytes >= 16) return {&write_short_rows<16>, bytes};
    if (bytes >= 8) return {&write_short_rows<8>, bytes};
    return bytes >= 4 ? writer{&write_short_rows<4>, bytes} : writer{&write_short_rows<2>, bytes};
}
template <class Word>
bool takes_words(const rows_to_repeat& call) {
    return call.bytes == sizeof(Word) && std::bit_cast<std::uintptr_t>(call.in) % alignof(Word) == 0 &&
           std::bit_cast<std::uintptr_t>(call.out) % alignof(Word) == 0;
}
template <class... Words>
writer writer_of(const rows_to_repeat& call) {
    writer found{};
    const bool is_word = (... || (takes_words<Words>(call) &&
                                  (found = {&detail::write_elements<Words, Words>, sizeof(Words)}, true)));
    return is_word ? found : writer_of_rows(call.bytes);
}

}  // namespace

std::uint64_t count_repeats(const device& where, const repeat_counts& counts, std::size_t n) {
    check_repeats_on(where);
    if (is_one_for_all(counts, n)) {
        const std::uint64_t count = one_of(counts);
        static_cast<void>(detail::same_count(count, n));  // which throws for more of them than can be
        return count * n;
    }
    return visit_counts(counts, [&](const auto& given) -> std::uint64_t {
        if (given.elements() != n) {
            throw_error(errc::invalid_argument, "counts: expected those of " + std::to_string(n) +
                                                    " elements, but they are of " +
                                                    std::to_string(given.elements()));
        }
        cpu::repetition of{};
        of.n = n;
        return detail::repeat(where.executor(), given, of, 0);
    });
}

std::uint64_t repeat_rows(const device& where, const repeat_counts& counts, const rows_to_repeat& call) {
    cpu::repetition of{};
    const writer how = writer_of<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, word_pair>(call);
    of.n = call.sequences * call.n;
    of.write = how.write;
    of.in = call.in;
    of.in_bytes = how.in_bytes;
    of.out = call.out;
    of.out_bytes = call.bytes;
    of.is_plain = true;
    check_repeats_on(where);
    const auto run = [&](const auto& given, std::size_t room) -> std::uint64_t {
        return detail::repeat(where.executor(), given, of, room);
    };
    const bool is_one = is_one_for_all(counts, call.n);
    if (call.sequences == 1 && !is_one)
        return visit_counts(counts, [&](const auto& given) { return run(given, call.room); });
    const std::uint64_t results = count_repeats(where, counts, call.n);
    if (results != call.room) return results;
    const std::size_t room = call.sequences * call.room;
    if (is_one) {
        run(detail::same_count(one_of(counts), of.n), room);
    } else {
        visit_counts(counts, [&](const auto& given) {
            const cpu::repeat_kernels& kernels = cpu::repeat_kernels_for(where.executor().simd());
            return run(counts_of_sequences(given, kernels), room);
        });
    }
    return results;
}

std::uint64_t repeat_indices(const device& where, const repeat_counts& counts, std::int64_t* out,
                             std::size_t room) {
    check_repeats_on(where);
    return visit_integers(counts, [&]<class Count>(std::span<const Count> each) -> std::uint64_t {
        const std::span to(out, room);
        if (counts.are_offsets) return upsweep::repeat_indices(where.executor(), by_offsets(each), to);
        return upsweep::repeat_indices(where.executor(), each, to);
    });
}

}  // namespace upsweep::registry
