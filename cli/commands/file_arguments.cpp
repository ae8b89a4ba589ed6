// Formats and types of files, by words and names.
#include "cli/commands/file_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "cli/commands/arguments.hpp"
#include "cli/io/byte_source.hpp"
#include "cli/io/message.hpp"
#include "cli/io/npy.hpp"
#include "cli/io/open_descriptor.hpp"
#include "cli/io/raw.hpp"
#include "cli/usage.hpp"
#include "registry/scanner.hpp"

namespace upsweep::cli {
namespace {

file_format parse_format(const std::string& word) {
    if (word == "npy") return file_format::npy;
    if (word == "raw") return file_format::raw;
    if (word == "csv") return file_format::csv;
    if (word == "tsv") return file_format::tsv;
    throw usage_error(fmt::format("--format {}: expected one of npy, raw, csv, tsv", in_quotes(word)));
}

// A character of no number, so that cells of numbers need no quotes.
char parse_delimiter(const std::string& word) {
    if (word == "tab" || word == "\\t") return '\t';
    const bool separates =
        word.size() == 1 &&
        (word[0] == ' ' || word[0] == '\t' || std::ispunct(static_cast<unsigned char>(word[0])) != 0) &&
        std::string_view("\"+-.").find(word[0]) == std::string_view::npos;
    if (!separates)
        throw usage_error(
            fmt::format("--delimiter {}: expected one character such as ; or |, or tab", in_quotes(word)));
    return word[0];
}

// Where a name leads, of which not all need be there; empty where that cannot be told.
std::filesystem::path place_of(const std::string& name) {
    std::error_code problem;
    const auto whole = std::filesystem::absolute(name, problem);
    return problem ? std::filesystem::path() : std::filesystem::weakly_canonical(whole, problem);
}

bool same_file(const std::string& one, const std::string& other) {
    std::error_code problem;
    if (std::filesystem::equivalent(one, other, problem)) return true;
    const auto place = place_of(one);
    return !place.empty() && place == place_of(other);
}

}  // namespace

void file_arguments::add_names_to(CLI::App& app, const char* output_meaning) {
    app.add_option("INPUT", input, "file to read; - is standard input")->required()->type_name("FILE");
    app.add_option("-o,--output", output, output_meaning)->type_name("FILE");
}

void file_arguments::add_format_to(CLI::App& app) {
    app.add_option("--format", format,
                   "format of INPUT: npy, raw, csv, tsv; default: by the ending of its name")
        ->type_name("NAME");
}

void file_arguments::add_column_to(CLI::App& app, const char* meaning) {
    add_name_option(app, "--column", column, meaning)->type_name("NAME");
}

void file_arguments::add_table_options_to(CLI::App& app) {
    app.add_flag("--no-header", headless, "the table has no line of names; columns are called 1, 2, ...");
    add_name_option(app, "--delimiter", delimiter,
                    "what separates cells, such as ';' or tab, in the output too unless that is .tsv; "
                    "default: a comma, in .tsv a tab")
        ->type_name("CHAR");
}

void file_arguments::find_input_format(bool has_table_option, bool has_raw_option) {
    if (input.empty()) throw usage_error("INPUT: the file name is empty");
    if (!format.empty())
        input_format = parse_format(format);
    else if (const auto known = format_of(input))
        input_format = *known;
    else if (has_table_option || delimiter)
        input_format = file_format::csv;
    else if (has_raw_option)
        input_format = file_format::raw;
    else if (input == "-")
        input_format = file_format::npy;
    else
        throw usage_error(fmt::format(
            "{}: the ending tells no format (.npy, .csv, .tsv, .raw, .bin); say it with --format", input));
    if (!delimiter) return;
    if (!reads_table()) throw usage_error("--delimiter is for .csv and .tsv tables");
    separator = parse_delimiter(*delimiter);
}

char file_arguments::input_delimiter() const { return separator.value_or(delimiter_of(input_format)); }
char file_arguments::output_delimiter() const {
    const char usual = delimiter_of(output_format);
    return output_format == file_format::tsv ? usual : separator.value_or(usual);
}

void file_arguments::set_raw_type(const char* option, const std::string& word) {
    input_dtype = registry::parse_dtype_layout(word);
    if (input_dtype) return;
    throw usage_error(fmt::format("{} {}: expected one of {}, or a code such as <f4", option, in_quotes(word),
                                  registry::dtype_names()));
}

void file_arguments::read_raw_type(const std::string& word) {
    if (input_format == file_format::raw) {
        if (word.empty()) {
            throw usage_error(
                fmt::format("{}: raw data does not tell the type of its elements; say it with --dtype",
                            source_words(input)));
        }
        set_raw_type("--dtype", word);
    } else if (!word.empty()) {
        throw usage_error("--dtype is for raw data; other formats tell their types themselves");
    }
}

void file_arguments::refuse_table_options() const {
    if (!reads_table() && (column || headless))
        throw usage_error("--column and --no-header are for .csv and .tsv tables");
}

void file_arguments::find_output_format(bool writes_data) {
    if (writes_data && json && is_standard_output(output)) {
        throw usage_error("--json writes to standard output; name a file for the data with -o");
    }
    output_format = format_of(output).value_or(input_format);
    if (is_table(output_format) && !reads_table()) {
        throw usage_error(
            fmt::format("-o {}: results of an array are written as .npy or raw, not as a table", output));
    }
}

void file_arguments::refuse_rows_in_array() const {
    if (reads_table() && !is_table(output_format)) {
        throw usage_error(
            fmt::format("-o {}: rows of a table are written as .csv or .tsv; an array can hold their "
                        "--indices",
                        output));
    }
}

void file_arguments::refuse_as_output(const char* option, const std::string& file) const {
    const auto open = descriptor_of(output);
    if (open ? open == descriptor_of(file) : same_file(file, output))
        throw usage_error(fmt::format("{} and -o name the same file", option));
}

void file_arguments::refuse_terminal() const {
    if (!is_table(output_format) && is_standard_output(output) && ::isatty(STDOUT_FILENO) != 0) {
        throw usage_error("the result is binary and standard output is a terminal; name a file with -o");
    }
}

array_reader open_array(const file_arguments& arguments) {
    byte_source source = byte_source::open(arguments.input);
    if (arguments.input_format == file_format::npy) return read_npy(std::move(source));
    return read_raw(std::move(source), *arguments.input_dtype);
}

csv_options table_options(const file_arguments& arguments) {
    csv_options options;
    options.delimiter = arguments.input_delimiter();
    options.header = !arguments.headless;
    return options;
}

std::vector<file_identity> identities(const byte_source& source) {
    std::vector<file_identity> found;
    if (const auto identity = source.identity()) found.push_back(*identity);
    return found;
}

array_writer open_writer(output_file& output, array_header header, file_format format) {
    if (format == file_format::npy) return write_npy(output, std::move(header));
    return write_raw(output, std::move(header));
}

std::size_t column_named(const csv_reader& table, const std::string& name, const char* option) {
    const auto& names = table.names();
    if (std::find(names.begin(), names.end(), name) != names.end()) return table.column(name);
    throw usage_error(fmt::format("{} {}: {} has no such column, but {}", option, in_quotes(name),
                                  table.source().name(), listed_columns(table)));
}

std::vector<std::size_t> columns_named(const csv_reader& table, const std::vector<std::string>& names,
                                       const char* option) {
    std::vector<std::size_t> found;
    for (const std::string& name : names) {
        found.push_back(column_named(table, name, option));
        if (std::find(found.begin(), found.end() - 1, found.back()) != found.end() - 1)
            throw usage_error(fmt::format("{} {}: the column is named twice", option, in_quotes(name)));
    }
    return found;
}

std::size_t number_column_of(const file_arguments& arguments, const csv_reader& table) {
    if (arguments.column) return column_named(table, *arguments.column, "--column");
    if (table.names().size() == 1) return 0;
    throw usage_error(fmt::format("{}: say which column holds the numbers with --column; there are {}",
                                  table.source().name(), listed_columns(table)));
}

std::string column_words(const std::string& name) { return name.empty() ? in_quotes(name) : printable(name); }

std::string column_words(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + column_words(name);
    return text;
}

std::string listed_columns(const csv_reader& table) {
    std::string text;
    for (const std::string& name : table.names()) {
        if (text.size() > 200) return text + ", ...";
        text += (text.empty() ? "" : ", ") + column_words(name);
    }
    return text;
}

std::size_t block_bytes(std::size_t usual) {
    const char* word = std::getenv("UPSWEEP_BLOCK_BYTES");
    if (word == nullptr || *word == '\0') return usual;
    const std::string_view text(word);
    std::size_t bytes = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (problem != std::errc() || end != text.data() + text.size() || bytes == 0 ||
        bytes > (std::size_t{1} << 40)) {
        throw usage_error(fmt::format("UPSWEEP_BLOCK_BYTES={}: expected a number of bytes from 1 to 2^40",
                                      in_quotes(text)));
    }
    return bytes;
}

std::size_t most_waiting_bytes() { return 16 * block_bytes(registry::block_bytes); }

std::string table_limits() {
    return fmt::format("A row of a table has at most {} cells and takes at most {} MiB.", most_columns,
                       longest_row >> 20);
}

void add_last_sections(help_page& page, std::string_view when) {
    page.sections.push_back(
        {"Environment",
         {fmt::format("UPSWEEP_SIMD forces an instruction set by name, see upsweep devices. "
                      "UPSWEEP_BLOCK_BYTES is the size of a block when {} (1 MiB). NO_COLOR turns colors of "
                      "the progress bar off.",
                      when)}});
    page.sections.push_back({"Exit status", {"0: done. 1: failure on data or files. 2: wrong usage."}});
}

void tell_run(json_writer& json, double seconds, std::uint64_t bytes, const registry::device& device) {
    json.key("seconds").number(seconds).key("bytes").integer(bytes);
    json.key("bytes_per_second").number(seconds > 0 ? static_cast<double>(bytes) / seconds : 0);
    json.key("device").text(device.name());
    if (device.accelerated() != nullptr) json.key("model").text(device.summary());
    json.key("threads").integer(device.threads()).key("simd").text(device.simd());
}

}  // namespace upsweep::cli
