// Files of integers: arrays, or tables of one column.
#include "cli/commands/integer_output.hpp"

#include <string_view>
#include <utility>

#include "cli/commands/file_arguments.hpp"
#include "cli/io/csv.hpp"

namespace upsweep::cli {
namespace {

void write_array(output_file& output, file_format format, registry::dtype type, const void* elements,
                 std::size_t count) {
    array_header header;
    header.type = type;
    header.shape = {count};
    array_writer writer = open_writer(output, std::move(header), format);
    writer.write(elements, count);
    writer.finish();
}

}  // namespace

void write_integers(output_file& output, file_format format, const char* name, const std::int64_t* numbers,
                    std::size_t count) {
    if (is_table(format)) {
        csv_writer writer(output, delimiter_of(format));
        writer.cell(std::string_view(name));
        writer.end_row();
        for (std::size_t i = 0; i < count; ++i) {
            writer.cell(numbers[i]);
            writer.end_row();
        }
        return;
    }
    write_array(output, format, registry::dtype::int64, numbers, count);
}

void write_sequence(output_file& output, file_format format, registry::dtype type, bool are_indices,
                    const std::byte* elements, std::size_t count) {
    if (are_indices)
        write_integers(output, format, "index", reinterpret_cast<const std::int64_t*>(elements), count);
    else
        write_array(output, format, type, elements, count);
}

}  // namespace upsweep::cli
