// From run-time types to sort(), sort_indices(), those of segments, and top_k_rows().
#include "registry/sorter.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "registry/order.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/error.hpp"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/segments.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep::registry {
namespace {

// Shorter rows than this are sorted as segments, in 0.1 of the time that a sort of each takes if they have
// two elements and in 0.7 if they have 64; so many elements at a time that scratch is small.
constexpr std::size_t rows_as_segments = 257, elements_together = std::size_t{1} << 20;

// sort(segments, first, count) of some rows at a time, from element `first` on.
template <class Sort>
void for_rows_as_segments(std::size_t rows, std::size_t length, const Sort& sort) {
    if (rows * length == 0) return;
    const std::size_t together = std::min(rows, elements_together / length);
    std::vector<std::size_t> offsets(together + 1);
    for (std::size_t k = 0; k <= together; ++k) offsets[k] = k * length;
    for (std::size_t row = 0; row < rows; row += together) {
        const std::size_t count = std::min(together, rows - row);
        sort(by_offsets(std::span(offsets).first(count + 1)), row * length, count * length);
    }
}
bool are_segments(std::size_t rows, std::size_t length) { return rows > 1 && length < rows_as_segments; }

// sort(executor, first) of the first element of each row.
template <class Sort>
void for_each_row(const device& where, std::size_t rows, std::size_t length, std::size_t element_bytes,
                  const Sort& sort) {
    if (rows * length == 0) return;
    const std::array shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)};
    const std::array strides{shape[1], std::int64_t{1}};
    const core::axis_geometry sequences(shape, strides, strides, 1);
    cpu::for_each_sequence(where.executor(), sequences, 2 * element_bytes,
                           [&](cpu::executor& with, std::size_t row) { sort(with, row * length); });
}

}  // namespace

void check_order(const device& where, dtype type) {
    with_order(where, type, [](auto) {});
}

void sort(const device& where, dtype type, const void* in, void* out, std::size_t n, bool descending) {
    sort_rows(where, type, in, out, 1, n, descending);
}
void sort_indices(const device& where, dtype type, const void* in, std::int64_t* out, std::size_t n,
                  bool descending) {
    sort_row_indices(where, type, in, out, 1, n, descending);
}

void sort_rows(const device& where, dtype type, const void* in, void* out, std::size_t rows,
               std::size_t length, bool descending) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        const std::span from(static_cast<const Element*>(in), rows * length);
        const std::span to(static_cast<Element*>(out), rows * length);
        if (are_segments(rows, length))
            return for_rows_as_segments(
                rows, length, [&](const auto& segments, std::size_t first, std::size_t n) {
                    upsweep::segmented_sort(where.executor(), segments, from.subspan(first, n),
                                            to.subspan(first, n), {.descending = descending});
                });
        for_each_row(where, rows, length, sizeof(Element), [&](cpu::executor& with, std::size_t first) {
            upsweep::sort(with, from.subspan(first, length), to.subspan(first, length),
                          {.descending = descending});
        });
    });
}
void sort_row_indices(const device& where, dtype type, const void* in, std::int64_t* out, std::size_t rows,
                      std::size_t length, bool descending) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        const std::span from(static_cast<const Element*>(in), rows * length);
        const std::span to(out, rows * length);
        if (are_segments(rows, length))
            return for_rows_as_segments(
                rows, length, [&](const auto& segments, std::size_t first, std::size_t n) {
                    const auto part = to.subspan(first, n);
                    upsweep::segmented_sort_indices(where.executor(), segments, from.subspan(first, n), part,
                                                    {.descending = descending});
                    for (std::size_t row = 0; row < n; row += length)
                        for (std::size_t i = row; i < row + length; ++i)
                            part[i] -= static_cast<std::int64_t>(row);
                });
        for_each_row(where, rows, length, sizeof(Element), [&](cpu::executor& with, std::size_t first) {
            upsweep::sort_indices(with, from.subspan(first, length), to.subspan(first, length),
                                  {.descending = descending});
        });
    });
}

void sort_segments(const device& where, dtype type, const std::uint8_t* heads, const void* in, void* out,
                   std::size_t n, bool descending) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        upsweep::segmented_sort(where.executor(), by_head_flags(std::span(heads, n)),
                                std::span(static_cast<const Element*>(in), n),
                                std::span(static_cast<Element*>(out), n), {.descending = descending});
    });
}
void sort_segment_indices(const device& where, dtype type, const std::uint8_t* heads, const void* in,
                          std::int64_t* out, std::size_t n, bool descending) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        upsweep::segmented_sort_indices(where.executor(), by_head_flags(std::span(heads, n)),
                                        std::span(static_cast<const Element*>(in), n), std::span(out, n),
                                        {.descending = descending});
    });
}

void top_k_rows(const device& where, dtype type, const void* in, void* values, std::int64_t* indices,
                std::size_t rows, std::size_t length, std::size_t k, bool smallest) {
    with_order(where, type, [&]<class Element>(std::type_identity<Element>) {
        const auto* const from = static_cast<const Element*>(in);
        auto* const to = static_cast<Element*>(values);
        const upsweep::detail::rows_to_choose<Element> all(from, length, k, !smallest);
        all.choose(where.executor(), rows, [&](cpu::executor& with, std::size_t first, std::size_t count) {
            all.store_indices(with, first, count, indices);
            for (std::size_t row = first; row < first + count; ++row)
                for (std::size_t i = row * k; i < (row + 1) * k; ++i)
                    to[i] = from[row * length + static_cast<std::size_t>(indices[i])];
        });
    });
}

std::uint64_t sort_scratch_bytes(dtype type, std::uint64_t n) { return n * size_of(type); }
std::uint64_t sort_indices_scratch_bytes(dtype type, std::uint64_t n) {
    const bool is_narrow = size_of(type) <= 4 && n <= std::uint64_t{1} << 32;
    return 2 * n * (is_narrow ? sizeof(std::uint64_t) : 2 * sizeof(std::uint64_t));
}

}  // namespace upsweep::registry
