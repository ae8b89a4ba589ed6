// Scans of .npy and raw files, a second one of coefficients beside them or not: block by block along one
// sequence, slab by slab along an axis, and as a whole only where one slab is too large or a pipe has to be
// read from its end.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/array_axis.hpp"
#include "cli/commands/picture_parts.hpp"
#include "cli/commands/scan_input.hpp"
#include "cli/commands/scan_job.hpp"
#include "cli/commands/scan_picture.hpp"
#include "cli/io/message.hpp"
#include "cli/pipeline.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

using registry::size_of;

// A slab of at most this many bytes, input and output together, is held in memory several times over.
std::size_t most_slab_bytes() { return 64 * block_bytes(registry::block_bytes); }

class array_scan {
  public:
    array_scan(const scan_job& job, scan_input& input, array_writer& writer, const made_scanner& made,
               scan_report& report)
        : job_(job),
          arguments_(job.arguments),
          input_(input),
          reader_(input.elements()),
          writer_(writer),
          made_(made),
          scanner_(*made.scanner),
          types_(report.types),
          report_(report),
          in_size_(input.element_bytes()),
          out_size_(size_of(types_.output)),
          block_bytes_(block_bytes(scanner_.usual_bytes())),
          progress_("scanning", total_bytes()) {}

    void run() {
        if (!reader_.count()) return run_stream();
        const array_extents extents = report_.axis ? extents_of(reader_.header(), *report_.axis)
                                                   : array_extents{1, *reader_.count(), 1};
        if (extents.outer * extents.slab() == 0) return;
        if (extents.outer == 1 && extents.inner == 1) {
            if (!arguments_.reverse) return run_stream();
            if (input_.seekable() && writer_.seekable()) return run_row_backwards(0, extents.length);
        }
        const std::uint64_t slab_bytes = extents.slab() * (in_size_ + out_size_);
        if (slab_bytes <= most_slab_bytes()) return run_slabs(extents);
        const bool rows =
            extents.inner == 1 && (!arguments_.reverse || (input_.seekable() && writer_.seekable()));
        for (std::uint64_t outer = 0; outer < extents.outer; ++outer) {
            if (!rows)
                run_large_slab(outer, extents);
            else if (arguments_.reverse)
                run_row_backwards(outer * extents.length, extents.length);
            else
                run_row(extents.length);
        }
    }

    [[nodiscard]] plot_figure picture() const {
        return picture_of_sequence(job_, "the values", inputs_, results_);
    }

  private:
    [[nodiscard]] std::optional<std::uint64_t> total_bytes() const {
        if (!reader_.count()) return std::nullopt;
        return *reader_.count() * (in_size_ + out_size_);
    }

    [[nodiscard]] std::size_t block_elements() const { return elements_of_block(scanner_, types_); }

    // A block with memory for `room` elements.
    void work(const data_block& block, std::size_t room) {
        const scan_block in = input_.block_in(block.in.data(), room);
        made_.take_coefficients(in.coefficients);
        scanner_.scan(in.elements, block.out.data(), block.count);
        note(in.elements, block.out.data(), block.first, block.count);
    }
    void note(const std::byte* in, const std::byte* out, std::uint64_t first, std::size_t count) {
        if (arguments_.plot.empty()) return;
        add_points(inputs_, types_.input, in, first, count);
        add_points(results_, types_.output, out, first, count);
    }
    void wrote(std::size_t count) {
        report_.count += count;
        progress_.advance(count * (in_size_ + out_size_));
    }

    // Forwards to the end of the input, however long that is.
    void run_stream() { run_row(UINT64_MAX); }

    // The next `length` elements.
    void run_row(std::uint64_t length) {
        scanner_.restart();
        const std::size_t most = block_elements();
        std::uint64_t position = 0;
        const std::uint64_t known = std::min(length, reader_.count().value_or(UINT64_MAX));
        const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(most, known));
        run_pipeline(
            input_.bytes_for(room), room * out_size_, known > most,
            [&](data_block& block) {
                block.first = position;
                const std::uint64_t left = length - position;
                block.count =
                    left == 0 ? 0
                              : input_.read(block.in.data(), room,
                                            static_cast<std::size_t>(std::min<std::uint64_t>(left, room)));
                position += block.count;
                return block.count != 0;
            },
            [&](data_block& block) { work(block, room); },
            [&](const data_block& block) {
                writer_.write(block.out.data(), block.count);
                wrote(block.count);
            });
    }

    // Elements [base, base + length), the last block first.
    void run_row_backwards(std::uint64_t base, std::uint64_t length) {
        scanner_.restart();
        const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(block_elements(), length));
        std::uint64_t left = length;
        run_pipeline(
            input_.bytes_for(most), most * out_size_, length > most,
            [&](data_block& block) {
                block.count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left));
                left -= block.count;
                block.first = base + left;
                return block.count != 0 && input_.read_at(block.first, block.in.data(), most, block.count);
            },
            [&](data_block& block) { work(block, most); },
            [&](const data_block& block) {
                writer_.write_at(block.first, block.out.data(), block.count);
                wrote(block.count);
            });
    }

    void scan_slabs(const scan_block& in, std::byte* out, std::uint64_t slabs, const array_extents& extents) {
        const auto length = static_cast<std::int64_t>(extents.length);
        const auto inner = static_cast<std::int64_t>(extents.inner);
        const std::int64_t shape[] = {static_cast<std::int64_t>(slabs), length, inner};
        const std::int64_t strides[] = {length * inner, inner, 1};
        made_.take_coefficients(in.coefficients);
        if (extents.outer == 1 && inner == 1) {
            scanner_.restart();
            scanner_.scan(in.elements, out, extents.length);
        } else {
            scanner_.scan_axis(in.elements, out, {shape, strides, strides, 1});
        }
    }

    // Several slabs a block; each is a matter of its own.
    void run_slabs(const array_extents& extents) {
        const std::uint64_t slab = extents.slab();
        const std::uint64_t wanted =
            std::max<std::uint64_t>(1, block_bytes_ / (slab * std::max(in_size_, out_size_)));
        const auto slabs = static_cast<std::size_t>(std::min(wanted, extents.outer));
        const std::size_t room = slabs * slab;
        std::uint64_t position = 0;
        run_pipeline(
            input_.bytes_for(room), room * out_size_, slabs < extents.outer,
            [&](data_block& block) {
                const auto taken =
                    static_cast<std::size_t>(std::min<std::uint64_t>(slabs, extents.outer - position));
                position += taken;
                block.first = (position - taken) * slab;
                block.count = taken == 0 ? 0 : input_.read(block.in.data(), room, taken * slab);
                return block.count != 0;
            },
            [&](data_block& block) {
                const scan_block in = input_.block_in(block.in.data(), room);
                scan_slabs(in, block.out.data(), block.count / slab, extents);
                note(in.elements, block.out.data(), block.first, block.count);
            },
            [&](const data_block& block) {
                writer_.write(block.out.data(), block.count);
                wrote(block.count);
            });
    }

    // One slab as a whole: mapped, where the file allows it.
    void run_large_slab(std::uint64_t outer, const array_extents& extents) {
        const auto slab = static_cast<std::size_t>(extents.slab());
        std::unique_ptr<scratch_memory> copy;
        scan_block in = input_.map();
        if (in.elements != nullptr) {
            in = input_.behind(in, outer * slab);
        } else {
            copy = std::make_unique<scratch_memory>(input_.bytes_for(slab), arguments_.output);
            if (input_.read(copy->data(), slab, slab) != slab)
                fail(reader_.source().name(), "data is truncated");
            in = input_.block_in(copy->data(), slab);
        }
        const scratch_memory out(slab * out_size_, arguments_.output);
        scan_slabs(in, out.data(), 1, extents);
        note(in.elements, out.data(), outer * slab, slab);
        const std::size_t most = block_elements();
        for (std::size_t done = 0; done < slab; done += most) {
            const std::size_t count = std::min(most, slab - done);
            writer_.write(out.data() + done * out_size_, count);
            wrote(count);
        }
    }

    const scan_job& job_;
    const scan_arguments& arguments_;
    scan_input& input_;
    const array_reader& reader_;  // of elements
    array_writer& writer_;
    const made_scanner& made_;
    registry::scanner& scanner_;
    const registry::scan_types& types_;
    scan_report& report_;
    std::size_t in_size_;  // with a coefficient, if there are some
    std::size_t out_size_;
    std::size_t block_bytes_;
    progress_bar progress_;
    plot_accumulator inputs_;
    plot_accumulator results_;
};

// The axis from 0 on; nothing for one dimension without --axis.
std::optional<int> find_axis(const scan_arguments& arguments, const array_reader& reader) {
    const std::size_t rank = reader.header().open_ended ? 1 : reader.header().shape.size();
    if (rank == 0) fail(reader.source().name(), "a single value (0 dimensions) has nothing to scan along");
    if (arguments.axis) return axis_in_range(*arguments.axis, reader);
    if (rank == 1) return std::nullopt;
    throw usage_error(fmt::format("{} has {} dimensions, shape ({}): say which one to scan along with --axis",
                                  reader.source().name(), rank, fmt::join(reader.header().shape, ", ")));
}

}  // namespace

scan_report scan_array(const scan_job& job) {
    const scan_arguments& arguments = job.arguments;
    scan_input input(arguments);
    const array_reader& reader = input.elements();
    scan_report report;
    report.axis = find_axis(arguments, reader);
    report.types = job.method.types(input.types());
    if (!arguments.plot.empty()) {
        if (reader.header().shape.size() > 1)
            throw usage_error("--plot draws one sequence; this array has several dimensions");
        if (registry::is_complex_type(report.types.output))
            throw usage_error("--plot draws real numbers; these are complex");
    }
    const made_scanner made = job.method.scanner(job.device, input.types());

    report.picture_file = open_picture(arguments, input.files());
    output_file output(arguments.output, input.files());
    array_header header = reader.header();
    header.type = report.types.output;
    header.order = std::endian::native;
    array_writer writer = open_writer(output, std::move(header), arguments.output_format);
    // A reversed scan of a pipe without a known length needs its length first.
    if (arguments.reverse && !reader.count()) {
        throw usage_error(
            fmt::format("{}: a scan from the end (--reverse) of raw data needs a file, not a pipe",
                        reader.source().name()));
    }
    array_scan work(job, input, writer, made, report);
    work.run();
    input.finish();
    writer.finish();
    if (!arguments.plot.empty()) report.picture = work.picture();
    output.commit();
    report.shape = reader.header().shape;
    report.bytes = report.count * (input.element_bytes() + size_of(report.types.output));
    if (reader.header().shape.size() == 1) report.total = made.scanner->total();
    return report;
}

}  // namespace upsweep::cli
