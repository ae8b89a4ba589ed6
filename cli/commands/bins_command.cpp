// `upsweep bins`: its options, its run, what is told at the end, and its help.
//
// The numbers are gone through twice: counted, so that it is known where each bin begins, and moved there,
// block by block, in memory or in a scratch file that is mapped. Then all is written from the first bin on.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/bin_arguments.hpp"
#include "cli/commands/choose_job.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/integer_output.hpp"
#include "cli/io/format.hpp"
#include "cli/io/message.hpp"
#include "cli/io/open_descriptor.hpp"
#include "cli/json.hpp"
#include "cli/pipeline.hpp"
#include "cli/scratch.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

struct bins_arguments : bin_arguments {
    bool indices = false;
    std::string offsets;  // the file for them; empty: none
};

struct bins_report {
    bins_of_input by;
    std::vector<std::uint64_t> offsets;
    dtype input_type{};
    dtype type{};  // of the results
    std::vector<std::uint64_t> shape;
    std::uint64_t count = 0;  // numbers read
    std::uint64_t bytes = 0;
};

void check(bins_arguments& arguments) {
    arguments.check();
    arguments.find_output_format();
    if (arguments.reads_table() && !arguments.indices) {
        throw usage_error(
            "of a table --indices are written, the numbers of its rows; say them, or give an array");
    }
    if (!arguments.offsets.empty()) {
        if (is_standard_output(arguments.offsets)) {
            throw usage_error(fmt::format("--offsets {}: standard output is for the elements; name a file",
                                          arguments.offsets));
        }
        arguments.refuse_as_output("--offsets", arguments.offsets);
    }
    arguments.refuse_terminal();
}

class extraction {
  public:
    extraction(const bins_arguments& arguments, const registry::device& device)
        : arguments_(arguments),
          device_(device),
          input_(open_numbers(arguments, true)),
          passes_(*input_, arguments.passes() + 2, "binning", arguments.output) {
        report_.input_type = input_->type();
        report_.type = arguments.indices ? dtype::int64 : report_.input_type;
    }

    bins_report run() {
        output_file output(arguments_.output, identities(input_->source()));
        std::optional<output_file> offsets;
        if (!arguments_.offsets.empty()) offsets.emplace(arguments_.offsets, identities(input_->source()));
        report_.by = make_bins(arguments_, device_, *input_, passes_);
        bins_ = report_.by.limits.count;
        // At least as many numbers as there are bins, for every bin is looked at once a block.
        block_ = std::max(passes_.usual_block(), bins_);
        count();
        const std::size_t size = size_of(report_.type);
        const auto total = static_cast<std::size_t>(report_.offsets.back());
        scratch_memory results(total * size, arguments_.output, most_waiting_bytes());
        move_to(results.data());
        write_sequence(output, arguments_.output_format, report_.type, arguments_.indices, results.data(),
                       total);
        if (offsets) {
            write_integers(*offsets, format_of(arguments_.offsets).value_or(file_format::csv), "offset",
                           reinterpret_cast<const std::int64_t*>(report_.offsets.data()),  // all below 2^63
                           report_.offsets.size());
        }
        output.commit();
        if (offsets) offsets->commit();
        report_.shape = input_->shape();
        report_.count = passes_.count();
        report_.bytes = passes_.bytes() + total * size;
        return std::move(report_);
    }

  private:
    void count() {
        report_.offsets.assign(bins_ + 1, 0);
        std::vector<std::uint64_t> counts(bins_);
        passes_.run(block_, [&](const number_block& block) {
            report_.by.binner->count(block.numbers, counts.data(), block.count);
            for (std::size_t bin = 0; bin < bins_; ++bin) report_.offsets[bin + 1] += counts[bin];
        });
        for (std::size_t bin = 0; bin < bins_; ++bin) report_.offsets[bin + 1] += report_.offsets[bin];
    }

    void move_to(std::byte* results) {
        const std::size_t size = size_of(report_.type);
        const auto block = static_cast<std::size_t>(std::min<std::uint64_t>(block_, passes_.count()));
        const byte_buffer sorted(block * size);
        std::vector<std::uint64_t> places(report_.offsets.begin(), report_.offsets.end() - 1);
        std::vector<std::uint64_t> begins(bins_ + 1);
        passes_.run(block_, [&](const number_block& now) {
            const registry::binner& binner = *report_.by.binner;
            if (arguments_.indices) {
                binner.extract_indices(now.numbers, static_cast<std::int64_t>(now.first),
                                       reinterpret_cast<std::int64_t*>(sorted.data()), begins.data(),
                                       now.count);
            } else {
                binner.extract(now.numbers, sorted.data(), begins.data(), now.count);
            }
            for (std::size_t bin = 0; bin < bins_; ++bin) {
                const std::uint64_t count = begins[bin + 1] - begins[bin];
                if (count == 0) continue;
                if (places[bin] + count > report_.offsets[bin + 1]) fail_changed();
                std::memcpy(results + places[bin] * size, sorted.data() + begins[bin] * size, count * size);
                places[bin] += count;
            }
        });
        if (!std::equal(places.begin(), places.end(), report_.offsets.begin() + 1)) fail_changed();
    }
    [[noreturn]] void fail_changed() const {
        fail(input_->source().name(), "the file changed while it was read");
    }

    const bins_arguments& arguments_;
    const registry::device& device_;
    std::unique_ptr<number_input> input_;
    number_passes passes_;
    bins_report report_;
    std::size_t bins_ = 0;
    std::size_t block_ = 0;
};

void print_json(const bins_arguments& arguments, const bins_report& report, const registry::device& device,
                double seconds) {
    json_writer json;
    json.begin_object().key("file").text(arguments.input).key("output").text(arguments.output);
    json.key("indices").boolean(arguments.indices);
    tell_bins(json, arguments, report.by);
    json.key("offsets").begin_array();
    for (const std::uint64_t offset : report.offsets) json.integer(offset);
    json.end_array();
    json.key("dtype").text(registry::name(report.type));
    json.key("input_dtype").text(registry::name(report.input_type));
    json.key("count").integer(report.count).key("placed").integer(report.offsets.back());
    json.key("shape").begin_array();
    for (const std::uint64_t length : report.shape) json.integer(length);
    json.end_array();
    tell_run(json, seconds, report.bytes, device);
    json.end_object();
    fmt::print("{}\n", json.result());
}

void run(bins_arguments& arguments, const CLI::App& app) {
    check(arguments);
    const registry::device device = arguments.device.open(app);
    const auto start = std::chrono::steady_clock::now();
    const bins_report report = extraction(arguments, device).run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (arguments.json) print_json(arguments, report, device, seconds);
}

help_page bins_page() {
    help_page page;
    page.name = "upsweep bins";
    page.summary = "put the elements of an array in the order of their bins";
    page.synopsis = {"upsweep bins INPUT [--bins N] [--range LO:HI] [-o OUTPUT] [--offsets FILE] [options]",
                     "upsweep bins INPUT --edges A,B,... [-o OUTPUT] [--offsets FILE] [options]"};
    page.description =
        "Cuts a range into equal bins, or takes those between --edges, and writes the elements of the first "
        "bin, then those of the second, "
        "and so "
        "on, each bin's in their order: with --bins 2 --range 0:8, 3 1 9 4 1 5 becomes 3 1 1 4 5. What is in "
        "no bin is left out; all else is copied bit for bit. INPUT is a NumPy array (.npy), raw binary data, "
        "a "
        "column of a table (.csv, .tsv; --indices only), or - for standard input.";
    add_bin_sections(page);
    page.sections.push_back(
        {"Formats",
         {".npy: any type but complex, any byte order and memory order. The result has one dimension. An "
          "array "
          "of several is taken in C order, the last index fastest. raw (.raw, .bin): elements of type "
          "--dtype, one after the other; --dtype '>f4' tells a byte order too. Results are in this machine's "
          "byte order.",
          "--indices writes where the elements stand instead: int64, counted from 0 in the order above. Of a "
          "table they are the numbers of its rows, as a table of one column called index, or as an array "
          "with -o FILE.npy.",
          "--offsets FILE gets where each bin begins in the result, and last where the last one ends, one "
          "number more than "
          "there are bins: int64 in .npy and .raw; any other name gets a table of one column called "
          "offset.",
          table_limits()}});
    page.sections.push_back(
        {"Large files",
         {"Files of any size take some tens of megabytes of memory at most, and some tens of bytes a bin. "
          "The "
          "result, and what comes from a pipe, is laid in a file beside the output, or in TMPDIR if that "
          "is standard output, once it is more than 16 MiB. An output file appears when it is complete; "
          "until "
          "then, and after an error, an old one stays as it was."}});
    page.sections.push_back(
        {"JSON",
         {"With --json, an object with file, output, indices, bins, clamp, last_closed (whether the last bin "
          "has its upper edge), edges and offsets (one more than bins), dtype, input_dtype, count (elements "
          "read), placed (elements written), shape (of the input), seconds, bytes, bytes_per_second, device, "
          "threads and simd.",
          json_numbers}});
    add_last_sections(page, "a file streams");
    page.examples = {
        {"upsweep bins x.npy --bins 8 --range 0:1 -o y.npy --offsets o.npy",
         "Eight bins between 0 and 1, and where each begins:"},
        {"upsweep bins x.npy --bins 8 --range 0:1 --clamp -o y.npy", "No element left out but NaNs:"},
        {"upsweep bins keys.npy --bins 256 --range 0:256 --indices -o order.npy",
         "The order in which to take other arrays, by a key:"},
        {"upsweep bins data/seattle-weather.csv --column temp_max --bins 4 --indices -o days.csv",
         "The days of Seattle, from the coldest quarter of the range to the hottest:"},
    };
    page.see_also = {"upsweep", "upsweep histogram", "upsweep partition"};
    return page;
}

}  // namespace

command add_bins(CLI::App& program) {
    command made;
    made.page = bins_page();
    CLI::App* app = program.add_subcommand("bins", made.page.summary);
    made.app = app;
    const auto arguments = std::make_shared<bins_arguments>();
    arguments->add_names_to(*app);
    arguments->add_bins_to(*app);
    app->add_flag("--indices", arguments->indices, "write the indices of elements or rows, from 0");
    app->add_option("--offsets", arguments->offsets, "file to write where each bin begins to")
        ->type_name("FILE");
    app->add_flag("--json", arguments->json,
                  "one JSON object on standard output: edges, offsets, sizes, seconds");
    made.run = [app, arguments] { run(*arguments, *app); };
    return made;
}

}  // namespace upsweep::cli
