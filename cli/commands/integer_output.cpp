// Files of integers: arrays, or tables of one column.
#include "cli/commands/integer_output.hpp"

#include <string_view>
#include <utility>

#include "cli/commands/file_arguments.hpp"
#include "cli/io/csv.hpp"

namespace upsweep::cli {

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
    array_header header;
    header.type = registry::dtype::int64;
    header.shape = {count};
    array_writer writer = open_writer(output, std::move(header), format);
    writer.write(numbers, count);
    writer.finish();
}

}  // namespace upsweep::cli
