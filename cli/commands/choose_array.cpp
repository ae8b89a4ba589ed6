// Compaction and partition of .npy and raw files, block by block. Arrays in Fortran order are gone through in
// C order, as NumPy's x[x < 5] does.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/choose_job.hpp"
#include "cli/io/message.hpp"
#include "cli/pipeline.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "cli/usage.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

// The elements of an array in C order, one block after the other.
class ordered_elements {
  public:
    ordered_elements(array_reader& reader, const std::string& beside)
        : reader_(reader), size_(size_of(reader.header().type)) {
        const array_header& header = reader.header();
        if (!header.fortran_order || header.open_ended) return;
        const auto several = [](std::uint64_t extent) { return extent != 1; };
        if (std::count_if(header.shape.begin(), header.shape.end(), several) < 2 || *reader.count() == 0)
            return;
        shape_ = header.shape;
        std::uint64_t stride = size_;
        for (const std::uint64_t extent : shape_) {
            strides_.push_back(stride);
            stride *= extent;
        }
        at_.resize(shape_.size());
        left_ = *reader.count();
        hold_all(beside);
    }

    // The next elements, `most` at most; returns how many: 0 at the end.
    std::size_t read(std::byte* to, std::size_t most) {
        if (all_ == nullptr) return reader_.read(to, most);
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left_));
        switch (size_) {
            case 1:
                gather<1>(to, count);
                break;
            case 2:
                gather<2>(to, count);
                break;
            case 4:
                gather<4>(to, count);
                break;
            case 8:
                gather<8>(to, count);
                break;
            default:
                gather<16>(to, count);
                break;
        }
        left_ -= count;
        return count;
    }

  private:
    // Mapped, where the file allows it.
    void hold_all(const std::string& beside) {
        const auto mapped = reader_.map();
        all_ = mapped.data();
        if (!mapped.empty()) return;
        const auto count = static_cast<std::size_t>(left_);
        copy_ = std::make_unique<scratch_memory>(count * size_, beside);
        if (reader_.read(copy_->data(), count) != count) fail(reader_.source().name(), "data is truncated");
        all_ = copy_->data();
    }

    template <std::size_t Size>
    void gather(std::byte* to, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(to + i * Size, all_ + offset_, Size);
            for (std::size_t k = at_.size(); k-- > 0;) {
                offset_ += strides_[k];
                if (++at_[k] != shape_[k]) break;
                offset_ -= strides_[k] * shape_[k];
                at_[k] = 0;
            }
        }
    }

    array_reader& reader_;
    std::size_t size_;
    const std::byte* all_ = nullptr;  // null: the order of the file is C order
    std::unique_ptr<scratch_memory> copy_;
    std::vector<std::uint64_t> shape_;
    std::vector<std::uint64_t> strides_;  // bytes
    std::vector<std::uint64_t> at_;       // the indices of the next element
    std::uint64_t offset_ = 0;            // of the next element, bytes
    std::uint64_t left_ = 0;
};

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
                                      arguments.input));
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
