// Totals along one of several dimensions: slab by slab, or of a slab that is larger than a block some rows at
// a time.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands/array_axis.hpp"
#include "cli/commands/reduce_job.hpp"
#include "cli/io/message.hpp"
#include "cli/pipeline.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "registry/axis_reducer.hpp"
#include "registry/reducer.hpp"

namespace upsweep::cli {
namespace {

using registry::size_of;

// Some rows, of `inner` elements each, of one slab, and of these the columns from `column` on.
struct slab_part {
    std::uint64_t outer = 0;  // the slab
    std::uint64_t column = 0;
    std::uint64_t row = 0;
    std::size_t width = 0;  // columns
    std::size_t rows = 0;
    bool is_last = false;  // of these columns
};

// The parts in the order in which they are read.
class slab_parts {
  public:
    slab_parts(const array_extents& extents, std::size_t width, std::size_t rows)
        : extents_(extents), width_(width), rows_(rows) {}

    std::optional<slab_part> next() {
        if (next_.outer == extents_.outer) return std::nullopt;
        slab_part part = next_;
        part.width = static_cast<std::size_t>(std::min<std::uint64_t>(width_, extents_.inner - part.column));
        part.rows = static_cast<std::size_t>(std::min<std::uint64_t>(rows_, extents_.length - part.row));
        next_.row += part.rows;
        part.is_last = next_.row == extents_.length;
        if (!part.is_last) return part;
        next_.row = 0;
        next_.column += part.width;
        if (next_.column == extents_.inner) next_ = {part.outer + 1, 0, 0, 0, 0, false};
        return part;
    }

  private:
    array_extents extents_;
    std::size_t width_;
    std::size_t rows_;
    slab_part next_;
};

template <std::size_t Size>
void gather_each(const std::byte* from, std::size_t stride, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * Size, from + i * stride, Size);
}
// `count` times `size` bytes that lie `stride` apart.
void gather(const std::byte* from, std::size_t stride, std::size_t size, std::size_t count, std::byte* to) {
    if (size == 4) return gather_each<4>(from, stride, count, to);
    if (size == 8) return gather_each<8>(from, stride, count, to);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * size, from + i * stride, size);
}

class axis_reduction {
  public:
    axis_reduction(const reduce_arguments& arguments, const registry::device& device,
                   const registry::scan_request& request, array_reader& reader, array_writer& writer,
                   const array_extents& extents)
        : arguments_(arguments),
          device_(device),
          request_(request),
          reader_(reader),
          writer_(writer),
          extents_(extents),
          in_size_(size_of(request.types.input)),
          out_size_(size_of(request.types.output)),
          widest_(std::max({in_size_, out_size_, size_of(request.types.accumulator)})),
          block_bytes_(block_bytes(registry::block_bytes)),
          progress_("reducing", *reader.count() * in_size_) {}

    void run() {
        if (extents_.outer * extents_.inner == 0) return;
        if (extents_.length == 0)
            write_nothing();
        else if (extents_.slab() <= block_bytes_ / widest_)
            run_slabs();
        else
            run_parts();
    }

  private:
    void write_nothing() {
        const registry::value nothing = registry::total_of_nothing(request_);
        for (std::uint64_t i = 0; i < extents_.outer * extents_.inner; ++i) writer_.write(nothing.data(), 1);
    }

    void wrote(const data_block& block) {
        writer_.write(block.out.data(), block.chosen);
        progress_.advance(block.count * in_size_);
    }

    // Several slabs a block; of each the last results are kept.
    void run_slabs() {
        const auto scanner = registry::make_scanner(device_, request_);
        const auto slab = static_cast<std::size_t>(extents_.slab());
        const auto inner = static_cast<std::size_t>(extents_.inner);
        const auto slabs = static_cast<std::size_t>(
            std::min<std::uint64_t>(block_bytes_ / (slab * widest_), extents_.outer));
        const byte_buffer results(slabs * slab * out_size_);
        std::uint64_t left = extents_.outer;
        run_pipeline(
            slabs * slab * in_size_, slabs * inner * out_size_, slabs < extents_.outer,
            [&](data_block& block) {
                const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(slabs, left));
                left -= taken;
                block.count = reader_.read(block.in.data(), taken * slab);
                block.chosen = taken * inner;
                return taken != 0;
            },
            [&](const data_block& block) {
                scan_slabs(*scanner, block, results.data());
                const std::byte* last = results.data() + (slab - inner) * out_size_;
                gather(last, slab * out_size_, inner * out_size_, block.count / slab, block.out.data());
            },
            [&](const data_block& block) { wrote(block); });
    }
    void scan_slabs(registry::scanner& scanner, const data_block& block, std::byte* results) const {
        const auto length = static_cast<std::int64_t>(extents_.length);
        const auto inner = static_cast<std::int64_t>(extents_.inner);
        const std::int64_t shape[] = {static_cast<std::int64_t>(block.count) / (length * inner), length,
                                      inner};
        const std::int64_t strides[] = {length * inner, inner, 1};
        scanner.scan_axis(block.in.data(), results, {shape, strides, strides, 1});
    }

    // Whole rows, unless one is more than a block: then some columns after the other.
    void run_parts() {
        const std::size_t widest_row = std::max<std::size_t>(1, block_bytes_ / widest_);
        const auto width = static_cast<std::size_t>(std::min<std::uint64_t>(widest_row, extents_.inner));
        const std::size_t most_rows = 4 * block_bytes_ / (width * widest_);
        registry::axis_reducer totals(device_, request_, width, most_rows);
        const std::size_t parts = block_bytes_ / (totals.multiple() * width * widest_);
        const auto rows = static_cast<std::size_t>(
            std::min<std::uint64_t>(totals.multiple() * std::max<std::size_t>(1, parts), extents_.length));
        slab_parts read_next(extents_, width, rows);
        slab_parts work_next(extents_, width, rows);
        run_pipeline(
            rows * width * in_size_, width * out_size_, true,
            [&](data_block& block) {
                const auto part = read_next.next();
                if (!part) return false;
                block.count = part->width * part->rows;
                read(*part, block.in.data());
                return true;
            },
            [&](data_block& block) {
                const slab_part part = *work_next.next();
                if (part.width != totals.width())
                    totals = registry::axis_reducer(device_, request_, part.width, most_rows);
                totals.add(block.in.data(), part.rows);
                if (part.is_last) totals.finish(block.out.data());
                block.chosen = part.is_last ? part.width : 0;
            },
            [&](const data_block& block) { wrote(block); });
    }

    void read(const slab_part& part, std::byte* to) {
        if (part.width == extents_.inner) {
            reader_.read(to, part.rows * part.width);
            return;
        }
        const std::uint64_t slab = reader_.seekable() ? part.outer * extents_.slab() : 0;
        if (!reader_.seekable() && part.column == 0 && part.row == 0) hold_slab();
        for (std::size_t i = 0; i < part.rows; ++i, to += part.width * in_size_) {
            const std::uint64_t first = slab + (part.row + i) * extents_.inner + part.column;
            if (reader_.seekable())
                reader_.read_at(first, to, part.width);
            else
                std::memcpy(to, held_->data() + first * in_size_, part.width * in_size_);
        }
    }
    // What comes from a pipe and is not read in its order.
    void hold_slab() {
        const auto slab = static_cast<std::size_t>(extents_.slab());
        if (!held_) held_ = std::make_unique<scratch_memory>(slab * in_size_, arguments_.output);
        reader_.read(held_->data(), slab);
    }

    const reduce_arguments& arguments_;
    const registry::device& device_;
    const registry::scan_request& request_;
    array_reader& reader_;
    array_writer& writer_;
    array_extents extents_;
    std::size_t in_size_;
    std::size_t out_size_;
    std::size_t widest_;
    std::size_t block_bytes_;
    progress_bar progress_;
    std::unique_ptr<scratch_memory> held_;
};

}  // namespace

void reduce_axis(const reduce_arguments& arguments, const registry::device& device,
                 const registry::scan_request& request, array_reader reader, fold_report& report) {
    output_file output(arguments.output, identities(reader.source()));
    array_header header = reader.header();
    header.type = request.types.output;
    header.order = std::endian::native;
    header.shape.erase(header.shape.begin() + *report.axis);
    if (header.shape.size() < 2) header.fortran_order = false;
    array_writer writer = open_writer(output, header, arguments.output_format);
    axis_reduction(arguments, device, request, reader, writer, extents_of(reader.header(), *report.axis))
        .run();
    writer.finish();
    output.commit();
    report.count = *reader.count();
    report.shape = reader.header().shape;
    report.bytes = report.count * size_of(request.types.input) +
                   element_count(header, output.name()) * size_of(request.types.output);
}

}  // namespace upsweep::cli
