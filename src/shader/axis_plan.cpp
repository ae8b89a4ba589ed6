// The plan of a scan along an axis, or of totals: which way, and which part of the array each dispatch takes.
//
// A dispatch has a block: all sequences within a box of the outer dimensions, and of each the elements of a
// window. What a device can bind, count and loop over bounds both. A block of sequences is scanned from end
// to end before the next one begins, so that all blocks share one workspace.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "shader/axis_blocks-inl.hpp"
#include "shader/plan-inl.hpp"

namespace upsweep::shader {
namespace {

// So many sequences, an invocation each, occupy a large GPU.
constexpr std::uint64_t lanes_from_sequences = 16384;
// Shorter sequences leave most of a work group without work that takes a tile.
constexpr std::uint64_t tiles_from_length = 256;
// From so many elements on, a work group a tile is ahead of invocations that exchange the pieces of
// contiguous sequences, however many these are: three barriers a tile, not three for every 128 bytes of a
// sequence.
constexpr std::uint64_t many_tiles_from_length = 1024;
// Values that wait in the workspace for a later dispatch; blocks of more sequences are divided.
constexpr std::uint64_t most_kept_values = std::uint64_t{1} << 22;

constexpr std::uint64_t state_values = 5;  // of lane_scan, of each sequence
constexpr std::size_t inline_dimensions = UPSWEEP_SHAPE_WORDS / 3;
constexpr std::uint64_t super_elements = std::uint64_t{tile_elements} * UPSWEEP_SUPER_TILES;

class axis_planner {
  public:
    axis_planner(const axis_request& request, const limits& device, axis_way way)
        : request_(request),
          device_(device),
          size_(std::uint64_t{4} * request.op.element_words),
          input_size_(input_bytes(request.op)),
          length_(request.geometry.length),
          along_{length_, request.geometry.in_stride, request.geometry.out_stride},
          way_(way),
          builder_(device, made_) {
        builder_.set_form(form::axis);
        whole_.count = request.geometry.other_count;
        std::copy_n(request.geometry.others.begin(), whole_.count, whole_.dimensions.begin());
        whole_.first = request.geometry.origin;
        if (request.reverse) {
            const auto last = static_cast<std::ptrdiff_t>(length_) - 1;
            whole_.first.in += last * along_.in_stride;
            whole_.first.out += last * along_.out_stride;
            along_.in_stride = -along_.in_stride;
            along_.out_stride = -along_.out_stride;
        }
    }

    std::vector<dispatch> make() && {
        if (by_tiles() && !has_room({}, unit()))
            throw_bytes("way: a tile of a sequence", bytes_of({}, unit()), device_);
        divide(whole_, by_tiles()
                           ? tiles() * tile_elements
                           : std::clamp<std::uint64_t>(length_, 1, device_.lane_elements_per_dispatch));
        return std::move(made_);
    }
    // Whether one tile of a sequence can be bound.
    [[nodiscard]] bool binds_tiles() const { return has_room({}, tile_elements); }

  private:
    [[nodiscard]] bool by_tiles() const { return way_ == axis_way::tiles; }
    // A window is a multiple of so many elements.
    [[nodiscard]] std::uint64_t unit() const { return by_tiles() ? tile_elements : 1; }
    [[nodiscard]] std::uint64_t tiles() const { return divide_up(length_, tile_elements); }
    [[nodiscard]] std::uint64_t supers() const { return divide_up(tiles(), UPSWEEP_SUPER_TILES); }

    [[nodiscard]] std::array<reach, 2> reach_of(const block& part, std::uint64_t window) const {
        std::array<reach, 2> all{};
        const auto add = [&](std::uint64_t extent, const dimension& d) {
            all[0].add(extent, d.in_stride);
            all[1].add(extent, d.out_stride);
        };
        for (std::size_t k = 0; k < part.count; ++k) add(part.dimensions[k].extent, part.dimensions[k]);
        if (length_ != 0) add(std::min(window, length_), along_);
        return all;
    }
    // What must be bound for it, wherever it begins. Elements of an input that have fewer bytes count like
    // others, so that their numbers have 32 bits.
    [[nodiscard]] std::uint64_t bytes_of(const block& part, std::uint64_t window) const {
        const auto [in, out] = reach_of(part, window);
        return std::max(in.elements(), out.elements()) * size_ + alignment_of(device_);
    }
    [[nodiscard]] bool has_room(const block& part, std::uint64_t window) const {
        return bytes_of(part, window) <= largest_binding(device_);
    }

    // Elements of the workspace for so many sequences.
    [[nodiscard]] std::uint64_t kept_values(std::uint64_t sequences, std::uint64_t window) const {
        if (!by_tiles()) return window < length_ ? sequences * state_values : 0;
        return tiles() == 1 ? 0 : sequences * (tiles() + supers() + 1);
    }
    [[nodiscard]] bool is_countable(const block& part, std::uint64_t window) const {
        const std::uint64_t sequences = part.sequences();
        const std::uint64_t groups = by_tiles()
                                         ? sequences * divide_up(std::min(window, length_), tile_elements)
                                         : divide_up(sequences, lane_group_size);
        if (groups > most_groups(device_) || sequences >= words_limit - lane_group_size) return false;
        const std::uint64_t most = std::min(most_kept_values, largest_binding(device_) / size_);
        return kept_values(sequences, window) <= most || sequences == 1;
    }

    // Divides until dispatches of `window` elements fit the device.
    void divide(const block& part, std::uint64_t window) {
        for (;;) {
            const bool fits = has_room(part, window);
            if (fits && is_countable(part, window)) return part_by_part(part, window);
            // The dimension that reaches furthest, or the slowest one where there is too much to count.
            std::size_t widest = part.count;
            std::uint64_t furthest = 0;
            for (std::size_t k = 0; k < part.count && (!fits || widest == part.count); ++k) {
                const std::uint64_t extent = part.dimensions[k].extent;
                const std::uint64_t reach = (extent - 1) * larger_stride(part.dimensions[k]);
                if (extent == 1 || (widest != part.count && reach <= furthest)) continue;
                widest = k;
                furthest = reach;
            }
            const std::uint64_t along = (std::min(window, length_) - 1) * larger_stride(along_);
            const bool shortens = window > unit() && (widest == part.count || (!fits && along >= furthest));
            if (shortens) {
                window = divide_up(divide_up(window, 2), unit()) * unit();
                continue;
            }
            const auto half = static_cast<std::ptrdiff_t>(part.dimensions[widest].extent / 2);
            block low = part;
            block high = part;
            low.dimensions[widest].extent = static_cast<std::size_t>(half);
            high.dimensions[widest].extent -= static_cast<std::size_t>(half);
            high.first.in += half * high.dimensions[widest].in_stride;
            high.first.out += half * high.dimensions[widest].out_stride;
            divide(low, window);
            divide(high, window);
            return;
        }
    }

    void part_by_part(const block& part, std::uint64_t window) {
        shape_first_ = round_up(kept_values(part.sequences(), window) * size_, alignment_of(device_));
        write_shape(part);
        if (by_tiles())
            scan_tiles(part, window);
        else
            scan_lanes(part, window);
    }

    // The dimensions from the fastest on that the parameters have no room for go behind the workspace.
    void write_shape(const block& part) {
        for (std::size_t k = inline_dimensions; k < part.count; k += inline_dimensions) {
            const std::size_t count = std::min(inline_dimensions, part.count - k);
            dispatch& next = builder_.add(stage::axis_shape, 1, 0);
            set_dimensions(next, part, k, count);
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(3 * count);
            next.parameters[UPSWEEP_P_SHAPE_FIRST] = static_cast<std::uint32_t>(3 * (k - inline_dimensions));
            next.bindings[UPSWEEP_LENGTH] = shape_words(part);
            fill(next);
        }
    }
    [[nodiscard]] binding shape_words(const block& part) const {
        return {resource::workspace, request_.workspace_offset + shape_first_,
                12 * (part.count - inline_dimensions)};
    }
    static void set_dimensions(dispatch& to, const block& part, std::size_t first, std::size_t count) {
        std::size_t at = UPSWEEP_P_SHAPE;
        for (std::size_t k = first; k < first + count; ++k) {
            const dimension& d = part.dimensions[part.count - 1 - k];
            to.parameters.at(at++) = static_cast<std::uint32_t>(d.extent);
            to.parameters.at(at++) = static_cast<std::uint32_t>(d.in_stride);
            to.parameters.at(at++) = static_cast<std::uint32_t>(d.out_stride);
        }
    }

    [[nodiscard]] std::uint32_t order() const {
        return (request_.reverse ? UPSWEEP_F_SWAP : 0u) | (request_.has_initial ? UPSWEEP_F_INITIAL : 0u);
    }
    [[nodiscard]] std::uint32_t storing() const {
        return (request_.exclusive ? UPSWEEP_F_EXCLUSIVE : 0u) |
               (request_.only_totals ? UPSWEEP_F_ONLY_TOTAL : 0u);
    }

    // The elements of a block's window that begins at position `before`.
    void set_elements(dispatch& to, const block& part, std::uint64_t before, std::uint64_t count) const {
        const auto [in, out] = reach_of(part, count);
        const auto steps = static_cast<std::ptrdiff_t>(before);
        if (count != 0) {
            set_range(to, UPSWEEP_INPUT, resource::input, request_.input_offset,
                      part.first.in + steps * along_.in_stride, in);
        }
        set_range(to, UPSWEEP_OUTPUT, resource::output, request_.output_offset,
                  part.first.out + steps * along_.out_stride, out);
        to.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(count);
        to.parameters[UPSWEEP_P_SEQUENCES] = static_cast<std::uint32_t>(part.sequences());
        to.parameters[UPSWEEP_P_INPUT_STRIDE] = static_cast<std::uint32_t>(along_.in_stride);
        to.parameters[UPSWEEP_P_OUTPUT_STRIDE] = static_cast<std::uint32_t>(along_.out_stride);
        to.parameters[UPSWEEP_P_DIMENSIONS] = static_cast<std::uint32_t>(part.count);
        set_dimensions(to, part, 0, std::min(part.count, inline_dimensions));
        if (part.count > inline_dimensions) to.bindings[UPSWEEP_LENGTH] = shape_words(part);
        std::copy(request_.initial.begin(), request_.initial.end(),
                  to.parameters.begin() + UPSWEEP_P_INITIAL);
    }
    void set_range(dispatch& to, int at, resource from, std::uint64_t offset, std::ptrdiff_t first,
                   const reach& all) const {
        const std::uint64_t size = at == UPSWEEP_INPUT ? input_size_ : size_;
        const std::uint64_t lowest = offset + static_cast<std::uint64_t>(first + all.low) * size;
        const bound_range range = bind(from, lowest, all.elements(), size, device_);
        to.bindings[static_cast<std::size_t>(at)] = range.range;
        to.parameters[at == UPSWEEP_INPUT ? UPSWEEP_P_INPUT_FIRST : UPSWEEP_P_OUTPUT_FIRST] =
            range.first + static_cast<std::uint32_t>(-all.low);
    }
    void set_kept_values(dispatch& to, std::uint64_t values) const {
        if (values == 0) return;
        if (values * size_ > largest_binding(device_)) throw_bytes("workspace", values * size_, device_);
        to.bindings[UPSWEEP_WORKSPACE] = {resource::workspace, request_.workspace_offset, values * size_};
    }
    // What a stage declares but does not touch.
    static void fill(dispatch& to) {
        const auto other = std::find_if(to.bindings.begin(), to.bindings.end(),
                                        [](const binding& b) { return b.from != resource::none; });
        const binding stand_in = *other;
        for (binding& each : to.bindings) {
            if (each.from == resource::none) each = stand_in;
        }
    }

    void scan_lanes(const block& part, std::uint64_t window) {
        const std::uint64_t sequences = part.sequences();
        const std::uint32_t flags =
            order() | storing() | (way_ == axis_way::turned_lanes ? UPSWEEP_F_TURNED : 0u);
        std::uint64_t before = 0;
        do {
            const std::uint64_t count = std::min(window, length_ - before);
            dispatch& next = builder_.add(stage::lane_scan, divide_up(sequences, lane_group_size),
                                          flags | (before != 0 ? UPSWEEP_F_CONTINUED : 0u) |
                                              (before + count != length_ ? UPSWEEP_F_CONTINUES : 0u));
            set_elements(next, part, before, count);
            // Only the place in a super matters, and whether it is the first one.
            next.parameters[UPSWEEP_P_BEFORE] = static_cast<std::uint32_t>(
                before % super_elements + (before >= super_elements ? super_elements : 0));
            set_kept_values(next, kept_values(sequences, window));
            fill(next);
            before += count;
        } while (before < length_);  // of no elements there are totals
    }

    void scan_tiles(const block& part, std::uint64_t window) {
        const std::uint64_t sequences = part.sequences();
        const std::uint64_t values = kept_values(sequences, window);
        const auto supers_at = static_cast<std::uint32_t>(sequences * tiles());
        const auto set_totals = [&](dispatch& to, std::uint64_t first) {
            set_kept_values(to, values);
            to.parameters[UPSWEEP_P_SEQUENCE_TILES] = static_cast<std::uint32_t>(tiles());
            to.parameters[UPSWEEP_P_SUPERS] = supers_at;
            to.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        };
        // Nobody asks for the last tile's total.
        const std::uint64_t summed = (tiles() - 1) * tile_elements;
        for (std::uint64_t before = 0; before < summed; before += window) {
            const std::uint64_t count = std::min(window, length_ - before);
            const std::uint64_t complete = std::min(window, summed - before) / tile_elements;
            dispatch& next = builder_.add(stage::tile_totals, sequences * complete, order());
            set_elements(next, part, before, count);
            set_totals(next, before / tile_elements);
            fill(next);
        }
        if (supers() > 1) fold_supers(sequences, set_totals);
        // Totals alone need the last tiles.
        for (std::uint64_t before = request_.only_totals ? summed : 0; before < length_; before += window) {
            const std::uint64_t count = std::min(window, length_ - before);
            dispatch& next = builder_.add(stage::tile_scan, sequences * divide_up(count, tile_elements),
                                          order() | storing());
            set_elements(next, part, before, count);
            if (request_.only_totals) next.bindings[UPSWEEP_TOTAL] = next.bindings[UPSWEEP_OUTPUT];
            set_totals(next, before / tile_elements);
            fill(next);
        }
    }

    template <class SetTotals>
    void fold_supers(std::uint64_t sequences, const SetTotals& set_totals) {
        constexpr std::uint64_t batch_tiles = UPSWEEP_ROW_RUNS * UPSWEEP_TILE_ROWS;
        const std::uint64_t batches = divide_up(tiles(), batch_tiles);
        const auto set_initial = [&](dispatch& to) {
            std::copy(request_.initial.begin(), request_.initial.end(),
                      to.parameters.begin() + UPSWEEP_P_INITIAL);
        };
        for (std::uint64_t first = 0; first < batches * sequences; first += most_groups(device_)) {
            dispatch& next =
                builder_.add(stage::super_totals, std::min(batches * sequences - first, most_groups(device_)),
                             order() | (batches == 1 ? UPSWEEP_F_LAST : 0u));
            set_totals(next, first);
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(tiles());
            set_initial(next);
            fill(next);
        }
        for (std::uint64_t first = 0; batches > 1 && first < supers(); first += device_.supers_per_dispatch) {
            dispatch& next = builder_.add(stage::super_prefixes, sequences,
                                          order() | (first != 0 ? UPSWEEP_F_CONTINUED : 0u));
            set_totals(next, first);
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(supers() - first, device_.supers_per_dispatch));
            next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(sequences * (tiles() + supers()));
            set_initial(next);
            fill(next);
        }
    }

    const axis_request& request_;
    const limits& device_;
    std::uint64_t size_;
    std::uint64_t input_size_;
    std::uint64_t length_;
    dimension along_;  // in the order of the scan
    axis_way way_;
    block whole_;
    std::uint64_t shape_first_ = 0;  // bytes of the workspace in front of the shape
    std::vector<dispatch> made_;
    builder builder_;
};

// Of no elements there are totals, but no results of scans.
bool stores_nothing(const axis_request& request) {
    return request.only_totals ? request.geometry.sequence_count == 0 : is_empty(request.geometry);
}

void check_request(const axis_request& request, const limits& device) {
    const std::uint64_t size = std::uint64_t{4} * request.op.element_words;
    check_offset("in", request.input_offset, input_bytes(request.op));
    check_offset("out", request.output_offset, size);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    check_start(request.op, request.exclusive, request.has_initial, !is_empty(request.geometry));
    if (request.only_totals && request.geometry.length == 0 && !stores_nothing(request))
        check_total_of_none(request.op, request.has_initial, "options.initial");
}

}  // namespace

axis_way choose_axis_way(const axis_request& request, const limits& device) {
    if (request.geometry.length == 0) return axis_way::lanes;
    if (request.way != axis_way::automatic) return request.way;
    const core::axis_geometry& shape = request.geometry;
    const bool many = shape.sequence_count >= lanes_from_sequences;
    // Of totals, elements alone are many.
    const auto stored = [&](const auto& along) {
        return std::abs(request.only_totals ? along.in_stride : along.out_stride);
    };
    const bool contiguous = std::abs(shape.in_stride) == 1 && stored(shape) == 1;
    const bool for_tiles = shape.length >= (!many        ? tiles_from_length
                                            : contiguous ? many_tiles_from_length
                                                         : ~std::uint64_t{0});
    if (for_tiles && axis_planner(request, device, axis_way::tiles).binds_tiles()) return axis_way::tiles;
    const bool turned = stored(shape) < stored(shape.fastest());
    return turned && shape.length > 1 ? axis_way::turned_lanes : axis_way::lanes;
}

std::vector<dispatch> plan_axis_scan(const axis_request& request, const limits& device) {
    check_request(request, device);
    if (stores_nothing(request)) return {};
    return axis_planner(request, device, choose_axis_way(request, device)).make();
}

std::uint64_t axis_workspace_bytes(const axis_request& request, const limits& device) {
    axis_request anywhere = request;
    anywhere.workspace_offset = 0;
    std::uint64_t bytes = 4;
    for (const dispatch& next : plan_axis_scan(anywhere, device)) {
        for (const binding& bound : next.bindings) {
            if (bound.from == resource::workspace) bytes = std::max(bytes, bound.offset + bound.bytes);
        }
    }
    return bytes;
}

std::string_view name(const dispatch& next) {
    const bool turned =
        next.which == stage::lane_scan && (next.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_TURNED) != 0;
    return turned ? std::string_view("turned_lane_scan") : name(next.which);
}

}  // namespace upsweep::shader
