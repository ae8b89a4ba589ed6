// Arrays of chosen elements: the length of the results is known when they are, and the others come behind.
#include <memory>
#include <utility>

#include "cli/commands/choose_job.hpp"
#include "cli/scratch.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

void write_chosen(const choose_arguments& arguments, output_file& output, registry::dtype type,
                  std::optional<std::uint64_t> length, const chosen_and_others& choose) {
    array_header header;
    header.type = type;
    header.open_ended = !length;
    if (length) header.shape = {*length};
    scratch_stream others(arguments.output, most_waiting_bytes());
    if (length || output.seekable() || arguments.output_format != file_format::npy) {
        array_writer writer = open_writer(output, std::move(header), arguments.output_format);
        element_sink sink(writer);
        choose(sink, others);
        others.send(sink);
        writer.finish();
        return;
    }
    scratch_stream chosen(arguments.output, most_waiting_bytes());
    choose(chosen, others);
    header.open_ended = false;
    header.shape = {(chosen.size() + others.size()) / registry::size_of(type)};
    array_writer writer = open_writer(output, std::move(header), arguments.output_format);
    element_sink sink(writer);
    chosen.send(sink);
    others.send(sink);
    writer.finish();
}

}  // namespace upsweep::cli
