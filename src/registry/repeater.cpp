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

// body(counts), a span of the integers that they are.
template <class Body>
std::uint64_t visit_counts(const repeat_counts& counts, const Body& body) {
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

template <class Count>
detail::same_count for_all(Count count, std::size_t n) {
    if (count < Count(0)) {
        throw_error(errc::invalid_argument,
                    "counts: must not be negative, but one is " + std::to_string(count));
    }
    return {static_cast<std::uint64_t>(count), n};
}

// The same counts again and again: from any place on, a block of them lies in one piece. They can be, and so
// can the sum of them all.
class counts_of_sequences {
  public:
    template <class Count>
    counts_of_sequences(std::span<const Count> counts)
        : n_(counts.size()), all_(counts.begin(), counts.end()) {
        for (std::size_t i = 0; i < cpu::repeat_block; ++i) all_.push_back(all_[i]);
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
    if (counts.size != n && counts.size != 1) {
        throw_error(errc::invalid_argument, "counts: expected 1 or " + std::to_string(n) +
                                                ", one an element, but there are " +
                                                std::to_string(counts.size));
    }
    return visit_counts(counts, [&]<class Count>(std::span<const Count> each) -> std::uint64_t {
        if (counts.size != n) {
            static_cast<void>(for_all(each[0], n));
            return static_cast<std::uint64_t>(each[0]) * n;
        }
        cpu::repetition of{};
        of.n = n;
        return detail::repeat(where.executor(), detail::each_count<Count>(each), of, 0);
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
    if (call.sequences == 1 && counts.size == call.n) {
        check_repeats_on(where);
        return visit_counts(counts, [&]<class Count>(std::span<const Count> each) -> std::uint64_t {
            return detail::repeat(where.executor(), detail::each_count<Count>(each), of, call.room);
        });
    }
    const std::uint64_t results = count_repeats(where, counts, call.n);
    if (results != call.room) return results;
    const std::size_t room = call.sequences * call.room;
    visit_counts(counts, [&]<class Count>(std::span<const Count> each) -> std::uint64_t {
        if (counts.size == 1) return detail::repeat(where.executor(), for_all(each[0], of.n), of, room);
        return detail::repeat(where.executor(), counts_of_sequences(each), of, room);
    });
    return results;
}

std::uint64_t repeat_indices(const device& where, const repeat_counts& counts, std::int64_t* out,
                             std::size_t room) {
    check_repeats_on(where);
    return visit_counts(counts, [&](const auto& each) -> std::uint64_t {
        return upsweep::repeat_indices(where.executor(), each, std::span(out, room));
    });
}

}  // namespace upsweep::registry
