// Compaction and partition of .npy and raw files, block by block. Arrays in Fortran order are gone through in
// C order, as NumPy's x[x < 5] does.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/choose_job.hpp"
#include "cli/commands/ordered_elements.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/io/message.hpp"
#include "cli/pipeline.hpp"
#include "cli/progress.hpp"
#include "cli/usage.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

class array_choice {
  public:
    array_choice(const choose_arguments& arguments, const registry::chooser& chooser, array_reader& reader,
                 choose_report& report)
        : arguments_(arguments),
          chooser_(chooser),
          elements_(reader, arguments.output),
          report_(report),
          in_size_(size_of(report.input_type)),
          out_size_(size_of(report.type)),
          progress_(arguments.with_others ? "partitioning" : "compacting", bytes_of(reader.count())),
          known_(reader.count()) {}

    void run(byte_sink& chosen, byte_sink& others) {
        const std::size_t most =
            std::max<std::size_t>(1, block_bytes(registry::block_bytes) / std::max(in_size_, out_size_));
        const std::uint64_t known = known_.value_or(UINT64_MAX);
        const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(most, known));
        std::uint64_t position = 0;
        run_pipeline(
            room * in_size_, room * out_size_, known > most,
            [&](data_block& block) {
                block.first = position;
                block.count = elements_.read(block.in.data(), room);
                position += block.count;
                return block.count != 0;
            },
            [&](data_block& block) { block.chosen = choose(block); },
            [&](const data_block& block) {
                chosen.write(block.out.data(), block.chosen * out_size_);
                if (arguments_.with_others) {
                    others.write(block.out.data() + block.chosen * out_size_,
                                 (block.count - block.chosen) * out_size_);
                }
                report_.count += block.count;
                report_.chosen += block.chosen;
                progress_.advance(block.count * in_size_);
            });
    }

  private:
    [[nodiscard]] std::optional<std::uint64_t> bytes_of(std::optional<std::uint64_t> count) const {
        if (!count) return std::nullopt;
        return *count * in_size_;
    }

    [[nodiscard]] std::size_t choose(const data_block& block) const {
        const void* in = block.in.data();
        std::byte* out = block.out.data();
        if (!arguments_.indices) {
            return arguments_.with_others ? chooser_.partition(in, out, block.count)
                                          : chooser_.compact(in, out, block.count);
        }
        const auto first = static_cast<std::int64_t>(block.first);
        auto* indices = reinterpret_cast<std::int64_t*>(out);
        return arguments_.with_others ? chooser_.partition_indices(in, first, indices, block.count)
                                      : chooser_.compact_indices(in, first, indices, block.count);
    }

    const choose_arguments& arguments_;
    const registry::chooser& chooser_;
    ordered_elements elements_;
    choose_report& report_;
    std::size_t in_size_;
    std::size_t out_size_;
    progress_bar progress_;
    std::optional<std::uint64_t> known_;
};

// Every condition must be about x.
void check_names(const choose_arguments& arguments) {
    for (const where_condition& one : arguments.conditions) {
        if (one.name == "x") continue;
        throw usage_error(fmt::format("{}: {} is no table with columns; its elements are called x", one.words,
                                      source_words(arguments.input)));
    }
}

}  // namespace

choose_report choose_array(const choose_arguments& arguments, const registry::device& device) {
    check_names(arguments);
    array_reader reader = open_array(arguments);
    choose_report report;
    report.input_type = reader.header().type;
    report.type = arguments.indices ? dtype::int64 : report.input_type;
    const auto chooser = make_chooser(device, report.input_type, arguments.conditions);
    output_file output(arguments.output, identities(reader.source()));
    array_choice job(arguments, *chooser, reader, report);
    write_chosen(arguments, output, report.type,
                 arguments.with_others ? reader.count() : std::optional<std::uint64_t>(),
                 [&](byte_sink& chosen, byte_sink& others) { job.run(chosen, others); });
    output.commit();
    report.shape = reader.header().shape;
    const std::uint64_t results = arguments.with_others ? report.count : report.chosen;
    report.bytes = report.count * size_of(report.input_type) + results * size_of(report.type);
    return report;
}

}  // namespace upsweep::cli
