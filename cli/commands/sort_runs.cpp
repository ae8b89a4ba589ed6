// Sorting of arrays of which memory holds a part at a time (external sorting). The array is cut into runs as
// long as memory allows, and each is sorted and stored. Then runs that are neighbours are merged: as many as
// there is room for a block of each; more than that in several passes.
//
// Of n elements in r runs, of which f can be merged at once, that is n log2 n comparisons, as of a sort in
// memory, and each element is written to and read from files ceil(log_f r) times, or fewer: a pass merges no
// more than it takes for the last one to merge what is left.
//
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.4.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/sort_job.hpp"
#include "cli/commands/stored_runs.hpp"
#include "cli/memory.hpp"
#include "cli/progress.hpp"
#include "cli/scratch.hpp"
#include "registry/scanner.hpp"
#include "registry/sorter.hpp"

namespace upsweep::cli {
namespace {

// Read of a run at a time: with less, a disk would seek more than it reads.
constexpr std::size_t least_run_block = std::size_t{256} << 10, most_run_block = std::size_t{4} << 20;
// Of that, what a window may take, for each thread: windows, which are as large on average, stay in near
// caches.
constexpr std::size_t window_part_bytes = std::size_t{128} << 10;
// Runs that are merged at once. With more, a window has few elements of each.
constexpr std::size_t least_fan_in = 4, most_fan_in = 1024;
// With their indices, elements of longer runs take more memory.
constexpr std::uint64_t longest_run = std::uint64_t{1} << 32;

// Memory for elements, and for their indices if there are any.
class element_room {
  public:
    element_room(run_layout layout, std::size_t count, const std::string& beside)
        : layout_(layout),
          keys_(count * layout.key_bytes, beside, SIZE_MAX),
          indices_(layout.with_indices ? count * sizeof(std::int64_t) : 0, beside, SIZE_MAX) {}

    // From the i-th element on; null if there are no indices.
    [[nodiscard]] std::byte* keys(std::size_t i = 0) const { return keys_.data() + i * layout_.key_bytes; }
    [[nodiscard]] std::int64_t* indices(std::size_t i = 0) const {
        return layout_.with_indices ? reinterpret_cast<std::int64_t*>(indices_.data()) + i : nullptr;
    }

  private:
    run_layout layout_;
    scratch_memory keys_;
    scratch_memory indices_;
};

class runs_to_sort {
  public:
    runs_to_sort(const sort_arguments& arguments, const registry::device& device, array_reader& reader,
                 std::vector<std::byte> begun, std::uint64_t memory)
        : arguments_(arguments),
          device_(device),
          reader_(reader),
          type_(reader.header().type),
          layout_{registry::size_of(type_), arguments.indices},
          memory_(memory - memory / 60),  // what sorts take beside scratch for each element
          begun_(std::move(begun)) {}

    void run(output_file& output, sort_report& report) {
        if (!read_runs(output)) {
            give_back_memory();  // the scratch of sorts, which merges have no use for
            report.runs = runs_.size();
            merge_all(output);
        }
        report.count = count_;
    }

  private:
    // True if all was one run, which is written then.
    bool read_runs(output_file& output) {
        const std::size_t most = most_of_a_run();
        const element_room run(layout_, most, arguments_.output);
        progress_bar progress("sorting runs", reader_.source().size());
        std::optional<run_file> file;
        for (std::size_t n = most; n == most;) {
            n = read_run(run.keys(), most, progress);
            registry::sort_run(device_, type_, run.keys(), run.indices(), n,
                               static_cast<std::int64_t>(count_), arguments_.descending);
            count_ += n;
            if (!file && n < most) {
                array_writer writer = make_writer(output);
                write_elements(writer, run.keys(), run.indices(), n);
                writer.finish();
                return true;
            }
            if (n == 0) break;
            if (!file) file.emplace(make_file());
            file->begin(n);
            file->write(run.keys(), run.indices(), n);
            runs_.push_back(file->run());
        }
        return false;
    }
    // Of runs alike in length, if it is known how many elements there are; the last one ends before.
    [[nodiscard]] std::size_t most_of_a_run() const {
        std::uint64_t most =
            std::min(longest_run, memory_ / registry::run_element_bytes(type_, layout_.with_indices));
        if (const auto known = reader_.count()) {
            const std::uint64_t runs = (*known + most - 1) / most;
            most = *known / std::max<std::uint64_t>(runs, 1) + 1;
        }
        return static_cast<std::size_t>(most);
    }
    std::size_t read_run(std::byte* to, std::size_t most, progress_bar& progress) {
        const std::size_t size = layout_.key_bytes;
        std::size_t n = std::min(most, begun_.size() / size);
        const auto end = begun_.begin() + static_cast<std::ptrdiff_t>(n * size);
        std::copy(begun_.begin(), end, to);
        begun_ = std::vector<std::byte>(end, begun_.end());
        progress.advance(n * size);
        const std::size_t step = std::max<std::size_t>(1, block_bytes(registry::block_bytes) / size);
        while (n != most) {
            const std::size_t wanted = std::min(step, most - n);
            const std::size_t got = reader_.read(to + n * size, wanted);
            n += got;
            progress.advance(got * size);
            if (got != wanted) break;
        }
        return n;
    }
    run_file make_file() const {
        run_file file(layout_, arguments_.output);
        if (const auto known = reader_.count()) file.file().expect_room(*known * layout_.element_bytes());
        return file;
    }

    void merge_all(output_file& output) {
        const std::size_t fan_in = most_at_once();
        while (runs_.size() > fan_in) merge_some(fan_in);
        progress_bar progress("merging runs", count_ * layout_.element_bytes());
        array_writer writer = make_writer(output);
        merge(runs_, progress, [&](const std::byte* keys, const std::int64_t* indices, std::size_t n) {
            write_elements(writer, keys, indices, n);
        });
        writer.finish();
    }
    [[nodiscard]] std::size_t most_at_once() const {
        const std::size_t least_block = least_run_block / layout_.element_bytes();
        return static_cast<std::size_t>(std::clamp<std::uint64_t>(
            memory_ / (least_block * merge_element_bytes()), least_fan_in, most_fan_in));
    }
    // Of an element that is in a block, and in a window.
    [[nodiscard]] std::size_t merge_element_bytes() const {
        return layout_.element_bytes() + registry::window_element_bytes(type_, layout_.with_indices);
    }
    // Merges runs until there are `fan_in` of them, or each was merged once: the last ones first, for the
    // last may be short. What is merged stays in its place.
    void merge_some(std::size_t fan_in) {
        progress_bar progress("merging some of the runs", std::nullopt);
        run_file file(layout_, arguments_.output);
        std::vector<stored_run> merged;  // from the last to the first
        std::size_t surplus = runs_.size() - fan_in;
        while (surplus != 0 && runs_.size() > 1) {
            const std::size_t taken = std::min({fan_in, surplus + 1, runs_.size()});
            const std::vector<stored_run> group(runs_.end() - static_cast<std::ptrdiff_t>(taken),
                                                runs_.end());
            runs_.resize(runs_.size() - taken);
            std::uint64_t count = 0;
            for (const stored_run& run : group) count += run.count;
            file.begin(count);
            merge(group, progress, [&](const std::byte* keys, const std::int64_t* indices, std::size_t n) {
                file.write(keys, indices, n);
            });
            merged.push_back(file.run());
            surplus -= taken - 1;
        }
        runs_.insert(runs_.end(), merged.rbegin(), merged.rend());
    }

    // Calls put(keys, indices, count) of the elements of `runs` in order, a window at a time.
    template <class Put>
    void merge(const std::vector<stored_run>& runs, progress_bar& progress, const Put& put) const {
        // Elements of each run in a window, and in its block.
        const std::size_t size = layout_.element_bytes();
        const std::uint64_t bytes = memory_ / runs.size();
        const std::size_t most_part = std::min(most_run_block, window_part_bytes * device_.threads());
        const auto part = static_cast<std::size_t>(
            std::clamp<std::uint64_t>(bytes / merge_element_bytes(), 1, most_part / size));
        const auto block = static_cast<std::size_t>(std::clamp<std::uint64_t>(
            bytes / size - part * (merge_element_bytes() - size) / size, part, most_run_block / size));
        const element_room window(layout_, runs.size() * part, arguments_.output);
        const element_room blocks(layout_, runs.size() * block, arguments_.output);
        std::vector<run_reader> readers;
        readers.reserve(runs.size());
        for (std::size_t k = 0; k < runs.size(); ++k)
            readers.emplace_back(layout_, runs[k], blocks.keys(k * block), blocks.indices(k * block), block,
                                 part);
        std::vector<registry::run_part> parts(runs.size());
        while (true) {
            for (std::size_t k = 0; k < runs.size(); ++k) {
                parts[k] = readers[k].part();
            }
            const std::size_t n = registry::merge_window(device_, type_, parts, window.keys(),
                                                         window.indices(), arguments_.descending);
            if (n == 0) return;
            put(window.keys(), window.indices(), n);
            for (std::size_t k = 0; k < runs.size(); ++k) readers[k].take(parts[k].taken);
            progress.advance(n * layout_.element_bytes());
        }
    }

    [[nodiscard]] array_writer make_writer(output_file& output) const {
        array_header header;
        header.type = arguments_.indices ? registry::dtype::int64 : type_;
        header.shape = {count_};
        return open_writer(output, std::move(header), arguments_.output_format);
    }
    void write_elements(array_writer& writer, const std::byte* keys, const std::int64_t* indices,
                        std::size_t n) const {
        if (arguments_.indices)
            writer.write(indices, n);
        else
            writer.write(keys, n);
    }

    const sort_arguments& arguments_;
    const registry::device& device_;
    array_reader& reader_;
    registry::dtype type_;
    run_layout layout_;
    std::uint64_t memory_;
    std::vector<std::byte> begun_;
    std::vector<stored_run> runs_;
    std::uint64_t count_ = 0;  // elements that have been read
};

}  // namespace

void sort_in_runs(const sort_arguments& arguments, const registry::device& device, array_reader& reader,
                  std::vector<std::byte> begun, std::uint64_t memory, output_file& output,
                  sort_report& report) {
    runs_to_sort(arguments, device, reader, std::move(begun), memory).run(output, report);
}

}  // namespace upsweep::cli
