// The odometer of docs/numerics.md, whose elements are rows or totals of some.
#include "registry/axis_reducer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "registry/array_reducer.hpp"
#include "registry/reducer.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

std::unique_ptr<scanner> plain_scanner(const device& where, operation op, const scan_types& types) {
    scan_request request;
    request.op = op;
    request.types = types;
    return make_scanner(where, request);
}

// `count` rows, one below the other, each sequence by itself.
void scan_columns(scanner& scanner, const void* in, void* out, std::size_t count, std::size_t width,
                  std::int64_t row_stride) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(count), static_cast<std::int64_t>(width)};
    const std::int64_t strides[] = {row_stride, 1};
    scanner.scan_axis(in, out, {shape, strides, strides, 0});
}

// One row, which changes nothing but its type.
void convert_row(scanner& scanner, dtype from, dtype to, const void* in, void* out, std::size_t width) {
    if (from == to)
        std::memcpy(out, in, width * size_of(to));
    else
        scan_columns(scanner, in, out, 1, width, static_cast<std::int64_t>(width));
}

}  // namespace

axis_reducer::axis_reducer(const device& where, const scan_request& request, std::size_t width,
                           std::size_t most_rows)
    : device_(&where),
      request_(request),
      width_(width),
      row_bytes_(width * size_of(request.types.accumulator)) {
    const dtype held = request.types.accumulator;
    load_ = plain_scanner(where, request.op, {request.types.input, held, held});
    combine_ = plain_scanner(where, request.op, {held, held, held});
    store_ = plain_scanner(where, request.op, {held, held, request.types.output});
    while (part_level_ + 1 != levels && level_rows[part_level_ + 1] <= most_rows) ++part_level_;
    memory_.resize((levels + 1) * row_bytes_);
    std::iota(place_.begin(), place_.end(), std::size_t{0});
    restart();
}

void axis_reducer::restart() {
    count_ = 0;
    present_.fill(false);
    if (!request_.initial) return;
    constexpr std::size_t highest = levels - 1;
    const std::size_t size = row_bytes_ / width_;
    for (std::size_t i = 0; i < width_; ++i)
        std::memcpy(row(highest) + i * size, request_.initial->data(), size);
    present_[highest] = true;
}

void axis_reducer::add(const void* rows, std::size_t count) {
    if (count_ % multiple() != 0) {
        throw_error(errc::invalid_argument, "rows: " + std::to_string(count_) +
                                                " came before; all but the last must be a multiple of " +
                                                std::to_string(multiple()));
    }
    const auto* next = static_cast<const std::byte*>(rows);
    for (std::size_t left = count; left != 0;) {
        const std::size_t part = std::min(left, multiple());
        add_part(next, part);
        next += part * width_ * size_of(request_.types.input);
        left -= part;
    }
}

void axis_reducer::add_part(const std::byte* rows, std::size_t count) {
    for (std::size_t k = part_level_; k + 1 != levels && count_ != 0 && count_ % level_rows[k + 1] == 0;
         ++k) {
        if (present_[k + 1]) fold(k + 1, k);
        std::swap(place_[k + 1], place_[k]);
        present_[k + 1] = true;
        present_[k] = false;
    }
    load(rows, count);
    if (present_[part_level_]) fold(part_level_, incoming);
    std::swap(place_[part_level_], place_[incoming]);
    present_[part_level_] = true;
    count_ += count;
}

// The total of each sequence; of another device than the CPU the last running total.
void axis_reducer::load(const std::byte* rows, std::size_t count) {
    const scan_types& types = request_.types;
    if (count == 1) return convert_row(*load_, types.input, types.accumulator, rows, row(incoming), width_);
    if (device_->accelerated() == nullptr) {
        scan_request request;
        request.op = request_.op;
        request.types = {types.input, types.accumulator, types.accumulator};
        const auto width = static_cast<std::int64_t>(width_);
        const std::int64_t shape[] = {static_cast<std::int64_t>(count), width}, strides[] = {width, 1};
        return reduce_array(*device_, request, rows, row(incoming), {shape, strides, strides, 0});
    }
    results_.resize(std::max(results_.size(), count * row_bytes_));
    scan_columns(*load_, rows, results_.data(), count, width_, static_cast<std::int64_t>(width_));
    std::memcpy(row(incoming), results_.data() + (count - 1) * row_bytes_, row_bytes_);
}

// A scan of two rows in place leaves the first as it is.
void axis_reducer::fold(std::size_t left, std::size_t right) {
    const auto apart = static_cast<std::int64_t>(place_[right]) - static_cast<std::int64_t>(place_[left]);
    scan_columns(*combine_, row(left), row(left), 2, width_, apart * static_cast<std::int64_t>(width_));
}

void axis_reducer::finish(void* out) {
    std::optional<std::size_t> total;
    for (std::size_t k = 0; k < levels; ++k) {
        if (!present_[k]) continue;
        if (total) fold(k, *total);
        if (!total) total = k;
    }
    if (total) {
        convert_row(*store_, request_.types.accumulator, request_.types.output, row(*total), out, width_);
    } else {
        const value nothing = total_of_nothing(request_);
        const std::size_t size = size_of(nothing.type());
        for (std::size_t i = 0; i < width_; ++i)
            std::memcpy(static_cast<std::byte*>(out) + i * size, nothing.data(), size);
    }
    restart();
}

}  // namespace upsweep::registry
