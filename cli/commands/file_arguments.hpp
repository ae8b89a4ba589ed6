// The files of a command that reads one and writes another: the options that say what they are, and how they
// are opened.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help.hpp"
#include "cli/io/array_file.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/format.hpp"
#include "cli/io/output_file.hpp"
#include "cli/json.hpp"
#include "registry/device.hpp"
#include "registry/dtype.hpp"

namespace CLI {
class App;
}

namespace upsweep::cli {

struct file_arguments {
    std::string input;
    std::string output = "-";
    std::string format;  // the word of --format; empty: not given
    file_format input_format = file_format::npy;
    file_format output_format = file_format::npy;
    std::optional<registry::dtype_layout> input_dtype;  // raw
    std::optional<std::string> column;                  // whose name may be empty
    bool headless = false;
    std::optional<std::string> delimiter;  // the word of --delimiter
    std::optional<char> separator;         // which it means
    bool json = false;

    // INPUT and -o; --format; --column; --no-header and --delimiter.
    void add_names_to(CLI::App& app,
                      const char* output_meaning = "file to write; - is standard output, the default");
    void add_format_to(CLI::App& app);
    void add_column_to(CLI::App& app, const char* meaning);
    void add_table_options_to(CLI::App& app);

    // By --format, by the ending of the name, or by options that only tables or raw data have. Reads
    // --delimiter.
    void find_input_format(bool has_table_option, bool has_raw_option);
    // The type of raw elements: `word`, given with `option`.
    void set_raw_type(const char* option, const std::string& word);
    // The word of --dtype, which raw input needs and no other may have.
    void read_raw_type(const std::string& word);
    // --column and --no-header, unless the input is a table.
    void refuse_table_options() const;
    // By the ending of the name, or as the input's. `writes_data`: to `output`, where --json must not write
    // then.
    void find_output_format(bool writes_data = true);
    // For results that are rows of a table.
    void refuse_rows_in_array() const;
    // For another file that is written, which the results would replace or be replaced by.
    void refuse_as_output(const char* option, const std::string& file) const;
    // For results that are no text.
    void refuse_terminal() const;

    [[nodiscard]] bool reads_table() const { return is_table(input_format); }
    // Between the cells of tables that are read, and written.
    [[nodiscard]] char input_delimiter() const;
    [[nodiscard]] char output_delimiter() const;
    // Whether rows of a table can be written as they were read.
    [[nodiscard]] bool keeps_rows() const { return input_delimiter() == output_delimiter(); }
};

[[nodiscard]] array_reader open_array(const file_arguments& arguments);
[[nodiscard]] csv_options table_options(const file_arguments& arguments);
// What an output must not be.
[[nodiscard]] std::vector<file_identity> identities(const byte_source& source);
// .npy or raw; see array_writer.
[[nodiscard]] array_writer open_writer(output_file& output, array_header header, file_format format);

// Index of the column that an option names. Throws usage_error with the names that there are.
[[nodiscard]] std::size_t column_named(const csv_reader& table, const std::string& name, const char* option);
[[nodiscard]] std::vector<std::size_t> columns_named(const csv_reader& table,
                                                     const std::vector<std::string>& names,
                                                     const char* option);
// Index of the column of --column, or of the only one. Throws usage_error.
[[nodiscard]] std::size_t number_column_of(const file_arguments& arguments, const csv_reader& table);
// A column's name in words: "" in quotes, if it has none.
[[nodiscard]] std::string column_words(const std::string& name);
[[nodiscard]] std::string column_words(const std::vector<std::string>& names);
// "date, rain, wind", of a long list the beginning.
[[nodiscard]] std::string listed_columns(const csv_reader& table);

// Bytes of input or output in a block when a file streams: UPSWEEP_BLOCK_BYTES, or what is usual.
[[nodiscard]] std::size_t block_bytes(std::size_t usual);
// What is held in memory of a stream that waits to be written.
[[nodiscard]] std::size_t most_waiting_bytes();

// What rows of a table may have at most, in the help of a command that reads one.
[[nodiscard]] std::string table_limits();

// Environment and exit status in the help of a command that runs on the CPU; `when` its input is cut in
// blocks.
void add_last_sections(help_page& page, std::string_view when);

// The members that every report ends with: seconds, bytes, bytes_per_second, device, model, threads, simd.
void tell_run(json_writer& json, double seconds, std::uint64_t bytes, const registry::device& device);

}  // namespace upsweep::cli
