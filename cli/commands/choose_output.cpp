// Arrays of chosen elements: the length of the results is known when they are, and the others come behind.
#include <memory>
#include <utility>

#include "cli/commands/choose_job.hpp"
#include "cli/scratch.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {
namespace {

// Bytes of whole elements.
class element_sink final : public byte_sink {
  public:
    explicit element_sink(array_writer& writer)
        : writer_(writer), size_(registry::size_of(writer.header().type)) {}
    void write(const void* data, std::size_t bytes) override { writer_.write(data, bytes / size_); }

  private:
    array_writer& writer_;
    std::size_t size_;
};

}  // namespace

std::size_t most_waiting_bytes() { return 16 * block_bytes(registry::block_bytes); }

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
