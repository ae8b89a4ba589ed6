// Where segments of a sequence that lies on many ranks begin: what a rank's own flags or keys say, and of its
// first element the rank before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "upsweep/cpu/kernels.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/exchange.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/segments.hpp"

namespace upsweep::mpi {

// What a rank that has elements shows the next one in scan order, and what the one before it has shown says
// of its own first element in scan order: whether a segment begins there.
template <class Segments>
struct segment_edge;

template <class Flag>
struct segment_edge<by_head_flags<Flag>> {
    using shown = bool;
    static bool asks(bool reverse) { return reverse; }
    static bool show(const by_head_flags<Flag>& segments, bool) {
        return segments.flags().front() != Flag(0);
    }
    // Backwards a segment begins in front of an element that has the flag.
    static bool begins(const by_head_flags<Flag>& segments, const std::optional<bool>& before, bool reverse) {
        return reverse ? *before : show(segments, reverse);
    }
};
template <class Key, class Equal>
struct segment_edge<by_keys<Key, Equal>> {
    static_assert(std::is_trivially_copyable_v<Key>,
                  "segments: expected keys of a trivially copyable type, because ranks exchange their bytes");
    using shown = Key;
    static bool asks(bool) { return true; }
    static Key show(const by_keys<Key, Equal>& segments, bool reverse) {
        return reverse ? segments.keys().front() : segments.keys().back();
    }
    static bool begins(const by_keys<Key, Equal>& segments, const std::optional<Key>& before, bool reverse) {
        return reverse ? !std::invoke(segments.equal(), segments.keys().back(), *before)
                       : !std::invoke(segments.equal(), *before, segments.keys().front());
    }
};

// A rank's segments, as marks_of() wants them: where its elements end in the direction that the scan comes
// from, another rank has a say.
template <class Segments>
class segments_of_rank {
  public:
    segments_of_rank(const Segments& segments, std::size_t n, bool reverse, bool begins)
        : segments_(segments), edge_(reverse ? n : 0), begins_(begins) {}

    [[nodiscard]] auto elements() const { return segments_.elements(); }
    void mark(const cpu::memory_kernels& memory, std::size_t first, std::size_t count, std::uint64_t* bits,
              std::size_t& hint) const {
        segments_.mark(memory, first, count, bits, hint);  // takes its own edges for heads
        if (!begins_ && edge_ >= first && edge_ - first < count)
            bits[(edge_ - first) / 64] &= ~(std::uint64_t{1} << ((edge_ - first) % 64));
    }

  private:
    const Segments& segments_;
    std::size_t edge_;
    bool begins_;
};

// Whether a segment begins at this rank's first element in scan order. Collective for the ranks up to the
// last that has elements.
template <class Segments>
bool begins_at_edge(const executor& ex, const agreement& all, const Segments& segments, std::size_t n,
                    failure& trouble) {
    using edge = segment_edge<Segments>;
    using shown = typename edge::shown;
    std::optional<shown> before;
    if (edge::asks(all.reverse)) {
        std::optional<shown> own;
        if (n != 0) own = edge::show(segments, all.reverse);
        before = fold_before(
            ex, all, own, [](const shown&, const shown& later) { return later; }, trouble);
    }
    bool begins = true;
    if (n != 0 && all.first != 0)
        trouble.attempt([&] { begins = edge::begins(segments, before, all.reverse); });
    return begins;
}

// Flags or keys: what has an edge.
template <class Segments>
concept cut_among_ranks = requires {
    sizeof(segment_edge<Segments>);
};

}  // namespace upsweep::mpi
