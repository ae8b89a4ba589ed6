// The plan of a histogram: counts at zero, then every tile counted.
#include <algorithm>
#include <bit>
#include <utility>

#include "shader/bins-inl.hpp"

namespace upsweep::shader {
namespace {

// Slices of bins that are worth reading all elements for: beyond that each addition goes to the buffer.
constexpr std::uint64_t most_slices = 3;
// Counters of one bin in a work group, as many as shared memory has banks on most devices.
constexpr std::uint64_t most_copies = 32;
// Work groups that keep the largest devices busy; of a longer sequence each counts several tiles.
constexpr std::uint64_t enough_groups = 2048;
// Elements that a work group counts for each counter that it adds to the buffer at the end.
constexpr std::uint64_t elements_per_counter = 4;
// Some drivers stop an invocation after 65535 iterations: of 16 elements a tile and 32 steps of a search.
constexpr std::uint64_t most_group_tiles = 64;

// How bins share counters.
struct counter_layout {
    std::uint64_t slices = 1;
    std::uint64_t slice_bins = 0;
    std::uint64_t copies = 1;
    bool near_table = false;
    bool far_counters = false;
};
counter_layout counter_layout_of(std::uint64_t bins, std::uint64_t table_words) {
    counter_layout layout;
    std::uint64_t room = UPSWEEP_TALLY_WORDS;
    if (bins + table_words <= room) {
        layout.near_table = table_words != 0;
        room -= table_words;
    }
    layout.slices = divide_up(bins, room);
    if (layout.slices > most_slices) return {.far_counters = true};
    layout.slice_bins = divide_up(bins, layout.slices);
    layout.copies = std::min(most_copies, std::bit_floor(room / layout.slice_bins));
    return layout;
}

class histogram_planner {
  public:
    histogram_planner(const histogram_request& request, const bin_table& table, const limits& device)
        : request_(request),
          table_(table),
          device_(device),
          size_(std::uint64_t{4} * table.element_words),
          counters_(counter_layout_of(request.bins, table.words.size())),
          counts_(bind(resource::output, request.counts_offset, request.bins, 4, device)),
          builder_(device, made_) {}

    std::vector<dispatch> make() && {
        clear();
        const std::uint64_t window = window_elements();
        for (std::uint64_t before = 0; before < request_.length; before += window)
            count(before, std::min(window, request_.length - before));
        return std::move(made_);
    }

  private:
    void clear() {
        const std::uint64_t groups = divide_up(request_.bins, tile_elements), window = most_groups(device_);
        for (std::uint64_t first = 0; first < groups; first += window) {
            dispatch& next = builder_.add(stage::clear_counts, std::min(window, groups - first), 0);
            set_counts(next);
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request_.bins);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        }
    }

    // Slices that a dispatch counts: all of them on any device that there is.
    [[nodiscard]] std::uint64_t slices_at_once() const {
        return std::min(counters_.slices, most_groups(device_));
    }
    [[nodiscard]] std::uint64_t most_stretches() const { return most_groups(device_) / slices_at_once(); }
    [[nodiscard]] std::uint64_t group_tiles(std::uint64_t tiles) const {
        const std::uint64_t for_device = divide_up(tiles * counters_.slices, enough_groups);
        const std::uint64_t for_counters =
            divide_up(elements_per_counter * counters_.slice_bins, tile_elements);
        return std::clamp<std::uint64_t>(std::max(for_device, for_counters), 1, most_group_tiles);
    }
    // Elements of a dispatch: whole tiles that fit a binding, wherever it must begin, and the work groups.
    [[nodiscard]] std::uint64_t window_elements() const {
        std::uint64_t tiles = words_limit / tile_elements;
        if (!request_.user_bins) {
            const std::uint64_t room =
                largest_binding(device_) - std::min(largest_binding(device_), alignment_of(device_));
            tiles = std::min(tiles, room / (tile_elements * size_));
            if (tiles == 0 && request_.length != 0) {
                throw_bytes("limits: a tile of elements", tile_elements * size_ + alignment_of(device_),
                            device_);
            }
        }
        return std::min(tiles, most_stretches() * most_group_tiles) * tile_elements;
    }

    void set_counts(dispatch& to) const {
        to.bindings[UPSWEEP_OUTPUT] = counts_.range;
        to.parameters[UPSWEEP_P_OUTPUT_FIRST] = counts_.first;
    }
    void count(std::uint64_t before, std::uint64_t elements) {
        const std::uint64_t tiles = divide_up(elements, tile_elements);
        const std::uint64_t stretch = std::max(group_tiles(tiles), divide_up(tiles, most_stretches()));
        for (std::uint64_t first = 0; first < counters_.slices; first += slices_at_once()) {
            const std::uint64_t slices = std::min(slices_at_once(), counters_.slices - first);
            dispatch& next = builder_.add(stage::count_bins, divide_up(tiles, stretch) * slices, flags());
            set_counts(next);
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(elements);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
            next.parameters[UPSWEEP_P_SLICES] = static_cast<std::uint32_t>(slices);
            next.parameters[UPSWEEP_P_GROUP_TILES] = static_cast<std::uint32_t>(stretch);
            next.parameters[UPSWEEP_P_COPIES] = static_cast<std::uint32_t>(counters_.copies);
            next.parameters[UPSWEEP_P_SLICE_BINS] = static_cast<std::uint32_t>(counters_.slice_bins);
            next.parameters[UPSWEEP_P_BINS] = static_cast<std::uint32_t>(request_.bins);
            std::copy(request_.user.begin(), request_.user.end(), next.parameters.begin() + UPSWEEP_P_USER);
            next.bindings[UPSWEEP_LENGTH] = counts_.range;  // unless there is one
            if (!request_.user_bins) {
                set_table(next, table_, request_.workspace_offset);
                const bound_range window =
                    bind(resource::input, request_.input_offset + before * size_, elements, size_, device_);
                next.bindings[UPSWEEP_INPUT] = window.range;
                next.parameters[UPSWEEP_P_INPUT_FIRST] = window.first;
            }
            if (!request_.length_in_buffer) continue;
            const bound_range length = bind(resource::length, request_.length_offset, 1, 4, device_);
            next.bindings[UPSWEEP_LENGTH] = length.range;
            next.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
            next.parameters[UPSWEEP_P_BEFORE] = static_cast<std::uint32_t>(before);
            next.parameters[UPSWEEP_P_MAXIMUM] = static_cast<std::uint32_t>(request_.length);
        }
    }
    [[nodiscard]] std::uint32_t flags() const {
        return (request_.length_in_buffer ? UPSWEEP_F_LENGTH : 0u) | (table_.clamp ? UPSWEEP_F_CLAMP : 0u) |
               (table_.guesses ? UPSWEEP_F_GUESS : 0u) | (counters_.near_table ? UPSWEEP_F_NEAR_TABLE : 0u) |
               (counters_.far_counters ? UPSWEEP_F_FAR_COUNTERS : 0u);
    }

    const histogram_request& request_;
    const bin_table& table_;
    const limits& device_;
    std::uint64_t size_;
    counter_layout counters_;
    bound_range counts_;
    std::vector<dispatch> made_;
    builder builder_;
};

}  // namespace

std::vector<dispatch> plan_counts(const histogram_request& request, const bin_table& table,
                                  const limits& device) {
    return histogram_planner(request, table, device).make();
}

std::uint64_t histogram_workspace_bytes(std::uint32_t element_words, std::uint64_t bins) {
    return std::max<std::uint64_t>(4, 4 * element_words * bins);
}

bin_plan plan_histogram(const histogram_request& request, const limits& device) {
    const std::uint32_t element_words = request.user_bins ? 1 : element_words_of(request.bounds.type);
    check_offset("in", request.input_offset, 4 * element_words);
    check_offset("counts", request.counts_offset, 4);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.length_in_buffer) check_offset("options.length", request.length_offset, 4);
    if (request.length >= words_limit) {
        throw_error(errc::unsupported,
                    "in: expected fewer than 4294967296 elements, because counts are 32-bit, but it has " +
                        std::to_string(request.length));
    }
    const std::uint64_t counted = alignment_of(device) + 4 * request.bins;
    if (counted > largest_binding(device)) throw_bytes("counts", counted, device);

    bin_plan made;
    bin_table table;
    if (!request.user_bins) {
        const std::uint64_t bytes = histogram_workspace_bytes(element_words, request.bins);
        if (bytes > largest_binding(device)) throw_bytes("workspace", bytes, device);
        if (request.length != 0) table = make_bin_table(request.bounds);
    }
    made.dispatches = plan_counts(request, table, device);
    made.table = std::move(table.words);
    return made;
}

}  // namespace upsweep::shader
