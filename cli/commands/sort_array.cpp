// Sorting of .npy and raw files. All elements are in memory, where they lie in the file if that can be
// mapped; those of an array that takes more than it may are sorted in runs (sort_runs.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cli/commands/integer_output.hpp"
#include "cli/commands/sort_job.hpp"
#include "cli/io/message.hpp"
#include "cli/io/npy.hpp"
#include "cli/memory.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "registry/scanner.hpp"
#include "registry/sorter.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

class array_to_sort {
  public:
    array_to_sort(const sort_arguments& arguments, const registry::device& device)
        : arguments_(arguments), device_(device), reader_(open_sequence(arguments, device)) {
        report_.input_type = reader_.header().type;
        report_.type = arguments.indices ? dtype::int64 : report_.input_type;
        const std::uint64_t usual = available_memory_bytes() / 4 * 3;
        memory_ = std::max(least_sort_memory, std::min(arguments.memory.value_or(usual), memory_bytes()));
    }

    sort_report run() {
        output_file output(arguments_.output, identities(reader_.source()));
        // Before all is sorted.
        if (arguments_.output_format == file_format::npy) check_npy_type(output.name(), report_.type);
        if (read())
            sort_all(output);
        else
            sort_in_runs(arguments_, device_, reader_, std::move(read_), memory_, output, report_);
        output.commit();
        report_.shape = {report_.count};
        report_.bytes = report_.count * (size_of(report_.input_type) + size_of(report_.type));
        return std::move(report_);
    }

  private:
    void sort_all(output_file& output) const {
        const std::size_t n = report_.count;
        const scratch_memory results(n * size_of(report_.type), arguments_.output, SIZE_MAX);
        if (arguments_.indices)
            registry::sort_indices(device_, report_.input_type, elements_.data(),
                                   reinterpret_cast<std::int64_t*>(results.data()), n, arguments_.descending);
        else
            registry::sort(device_, report_.input_type, elements_.data(), results.data(), n,
                           arguments_.descending);
        write_sequence(output, arguments_.output_format, report_.type, arguments_.indices, results.data(), n);
    }
    // Results, scratch, and what is read.
    [[nodiscard]] bool fits(std::uint64_t n) const {
        if (n > memory_) return false;  // lest the product below does not fit in 64 bits
        const std::uint64_t scratch = arguments_.indices
                                          ? registry::sort_indices_scratch_bytes(report_.input_type, n)
                                          : registry::sort_scratch_bytes(report_.input_type, n);
        return scratch + n * (size_of(report_.input_type) + size_of(report_.type)) <= memory_;
    }
    // False where not all of it fits: read_ has what has been read then.
    bool read() {
        const std::size_t size = size_of(report_.input_type);
        const auto known = reader_.count();
        if (known && !fits(*known)) return false;
        elements_ = reader_.map();
        if (!elements_.empty()) {
            report_.count = elements_.size() / size;
            return true;
        }
        const std::size_t most = std::max<std::size_t>(1, block_bytes(registry::block_bytes) / size);
        if (known) read_.reserve((static_cast<std::size_t>(*known) + most) * size);
        progress_bar progress("reading", reader_.source().size());
        for (std::size_t got = most; got == most;) {
            if (!known && !fits(report_.count + most)) {
                read_.resize(report_.count * size);
                return false;
            }
            read_.resize((report_.count + most) * size);
            got = reader_.read(read_.data() + report_.count * size, most);
            report_.count += got;
            progress.advance(got * size);
        }
        elements_ = std::span(read_).first(report_.count * size);
        return true;
    }

    const sort_arguments& arguments_;
    const registry::device& device_;
    array_reader reader_;
    std::uint64_t memory_;
    std::vector<std::byte> read_;
    std::span<const std::byte> elements_;
    sort_report report_;
};

}  // namespace

sort_report sort_array(const sort_arguments& arguments, const registry::device& device) {
    return array_to_sort(arguments, device).run();
}

array_reader open_sequence(const sort_arguments& arguments, const registry::device& device) {
    array_reader reader = open_array(arguments);
    const array_header& header = reader.header();
    if (!header.open_ended && header.shape.size() != 1) {
        fail(reader.source().name(),
             fmt::format("the array has {} dimensions; expected one, a sequence to sort",
                         header.shape.size()));
    }
    try {
        registry::check_order(device, header.type);
    } catch (const error& problem) {
        fail(reader.source().name(), problem.what());
    }
    return reader;
}

void expect_memory(std::string_view input, std::uint64_t bytes) {
    const std::uint64_t there = memory_bytes();
    if (bytes <= there) return;
    throw_error(errc::out_of_memory,
                fmt::format("{}: sorting holds all in memory, which takes {}, but this machine has {}", input,
                            bytes_text(static_cast<double>(bytes)), bytes_text(static_cast<double>(there))));
}

}  // namespace upsweep::cli
