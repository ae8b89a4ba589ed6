// Totals of all elements of .npy and raw files, block by block, in C order where order tells.
#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "cli/commands/array_axis.hpp"
#include "cli/commands/number_passes.hpp"
#include "cli/commands/reduce_job.hpp"
#include "cli/commands/result_cell.hpp"
#include "cli/pipeline.hpp"
#include "cli/usage.hpp"
#include "registry/reducer.hpp"

namespace upsweep::cli {
namespace {

using registry::size_of;

// The axis from 0 on.
std::optional<int> reduced_axis(const reduce_arguments& arguments, const array_reader& reader) {
    if (!arguments.axis) return std::nullopt;
    if (!reader.header().open_ended && reader.header().shape.empty()) {
        throw usage_error(fmt::format("--axis {}: {} is a single value and has no dimensions",
                                      *arguments.axis, reader.source().name()));
    }
    return axis_in_range(*arguments.axis, reader);
}

// Results of blocks are in the cache and forgotten, but for the last one.
registry::value total_of(const registry::device& device, const registry::scan_request& request,
                         number_passes& passes) {
    const auto scanner = registry::make_scanner(device, request);
    const std::size_t most = elements_of_block(*scanner, request.types);
    const std::size_t size = size_of(request.types.output);
    const byte_buffer results(most * size);
    registry::value total = registry::total_of_nothing(request);
    passes.run(most, [&](const number_block& block) {
        scanner->scan(block.numbers, results.data(), block.count);
        total = registry::value::at(total.type(), results.data() + (block.count - 1) * size);
    });
    return total;
}

void write_total(const reduce_arguments& arguments, const registry::value& total, output_file& output) {
    if (arguments.writes_line()) {
        csv_writer line(output);
        write_result(line, total.type(), total.data());
        line.end_row();
        return;
    }
    array_header header;  // of no dimensions
    header.type = total.type();
    array_writer writer = open_writer(output, std::move(header), arguments.output_format);
    writer.write(total.data(), 1);
    writer.finish();
}

}  // namespace

fold_report reduce_array(const reduce_arguments& arguments, const registry::device& device) {
    array_reader reader = open_array(arguments);
    fold_report report;
    report.axis = reduced_axis(arguments, reader);
    const registry::scan_request request = arguments.request_for(reader.header().type);
    report.types = request.types;
    if (report.axis && reader.header().shape.size() > 1) {
        reduce_axis(arguments, device, request, std::move(reader), report);
        return report;
    }
    std::optional<output_file> output;
    if (arguments.writes_data()) output.emplace(arguments.output, identities(reader.source()));
    const bool in_c_order = !registry::is_exact(request.op, request.types.accumulator);
    const auto input = numbers_of(std::move(reader), in_c_order, arguments.output);
    number_passes passes(*input, 1, "reducing", arguments.output);
    report.total = total_of(device, request, passes);
    report.count = passes.count();
    report.shape = input->shape();
    report.bytes = passes.bytes() + size_of(request.types.output);
    if (output) {
        write_total(arguments, *report.total, *output);
        output->commit();
    }
    return report;
}

}  // namespace upsweep::cli
