// Feeds arbitrary bytes to the CSV reader. The first byte chooses delimiter, header and block size; the rows
// must not depend on the block size, nor must the error, and their texts are those of the bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "cli/io/csv.hpp"
#include "upsweep/error.hpp"

namespace {

// The current row is what comes next in `rest`, which loses it.
void take_row(const upsweep::cli::csv_reader& reader, std::string_view& rest) {
    if (!rest.starts_with(reader.row_text())) std::abort();
    rest.remove_prefix(reader.row_text().size());
    if (rest.empty()) return;  // a last row without a line end
    if (!rest.starts_with(reader.line_end())) std::abort();
    rest.remove_prefix(reader.line_end().size());
}

std::string outcome_of(std::span<const std::byte> bytes, upsweep::cli::csv_options options) {
    std::string outcome;
    try {
        upsweep::cli::csv_reader reader(upsweep::cli::byte_source::from_memory(bytes, "fuzz.csv"), options);
        std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
        if (options.header) take_row(reader, rest);
        for (const std::string& name : reader.names()) outcome += name + '\0';
        while (reader.next()) {
            take_row(reader, rest);
            outcome += std::to_string(reader.line());
            for (std::size_t i = 0; i < reader.names().size(); ++i) {
                outcome.append(1, '\1').append(reader.cell(i));
                try {
                    if (reader.number(i).integer) outcome += '#';
                } catch (const upsweep::error& e) {
                    outcome += e.what();
                }
            }
        }
    } catch (const upsweep::error& e) {
        outcome += e.what();
    }
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    upsweep::cli::csv_options options;
    options.delimiter = (data[0] & 1) != 0 ? '\t' : ',';
    options.header = (data[0] & 2) == 0;
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    options.block_bytes = std::size_t{16} << 10;
    const std::string expected = outcome_of(bytes, options);
    options.block_bytes = static_cast<std::size_t>(data[0] >> 2) + 1;
    if (outcome_of(bytes, options) != expected) std::abort();
    return 0;
}
