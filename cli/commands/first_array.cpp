// The first elements of the order of .npy and raw files. A file that can be mapped is one sequence; of others
// block after block is read behind the first elements of those before, and the first of both are kept.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cli/commands/integer_output.hpp"
#include "cli/commands/sort_job.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "registry/scanner.hpp"
#include "registry/sorter.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

class first_elements {
  public:
    first_elements(const sort_arguments& arguments, const registry::device& device)
        : arguments_(arguments),
          device_(device),
          reader_(open_sequence(arguments, device)),
          type_(reader_.header().type),
          size_(size_of(type_)) {}

    sort_report run() {
        output_file output(arguments_.output, identities(reader_.source()));
        const std::span<const std::byte> mapped = reader_.map();
        if (!mapped.empty())
            choose(mapped.data(), mapped.size() / size_);
        else
            read();
        sort_report report;
        report.input_type = type_;
        report.type = arguments_.indices ? dtype::int64 : type_;
        report.count = places_.size();
        report.shape = {report.count};
        report.bytes = count_ * size_ + report.count * size_of(report.type);
        write_sequence(
            output, arguments_.output_format, report.type, arguments_.indices,
            arguments_.indices ? reinterpret_cast<const std::byte*>(places_.data()) : first_.data(),
            report.count);
        output.commit();
        return report;
    }

  private:
    void read() {
        const std::size_t least = std::max<std::size_t>(1, block_bytes(registry::block_bytes) / size_);
        std::vector<std::byte> elements;  // those that are kept, and a block
        progress_bar progress("reading", reader_.source().size());
        while (true) {
            // A block that is no smaller than what is kept, so that each element is moved but a few times.
            const std::size_t kept = places_.size(), most = std::max(least, kept);
            const std::size_t bytes = (kept + most) * size_;
            if (bytes > elements.size()) {
                expect_memory(reader_.source().name(), 3 * bytes + (kept + most) * sizeof(std::int64_t));
                elements.resize(bytes);
            }
            std::copy(first_.begin(), first_.end(), elements.begin());
            const std::size_t got = reader_.read(elements.data() + kept * size_, most);
            if (got != 0) choose(elements.data(), kept + got);
            progress.advance(got * size_);
            if (got != most) return;
        }
    }
    // Of n elements, which are those that are kept, if any are, and what follows them in the input.
    void choose(const std::byte* elements, std::size_t n) {
        const std::vector<std::int64_t> before = places_;
        const auto k = static_cast<std::size_t>(std::min<std::uint64_t>(*arguments_.first, n));
        first_.resize(k * size_);
        places_.resize(k);
        registry::top_k_rows(device_, type_, elements, first_.data(), places_.data(), 1, n, k,
                             !arguments_.descending);
        const auto kept = static_cast<std::int64_t>(before.size());
        for (std::int64_t& place : places_)
            place = place < kept ? before[static_cast<std::size_t>(place)]
                                 : place - kept + static_cast<std::int64_t>(count_);
        count_ += n - before.size();
    }

    const sort_arguments& arguments_;
    const registry::device& device_;
    array_reader reader_;
    dtype type_;
    std::size_t size_;
    std::uint64_t count_ = 0;  // of elements that have been read
    std::vector<std::byte> first_;
    std::vector<std::int64_t> places_;  // where they are in the input
};

}  // namespace

sort_report first_of_array(const sort_arguments& arguments, const registry::device& device) {
    return first_elements(arguments, device).run();
}

}  // namespace upsweep::cli
