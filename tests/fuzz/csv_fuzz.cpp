// Feeds arbitrary bytes to the CSV reader. The first byte chooses delimiter, header and block size; the rows
// must not depend on the block size, nor must the error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "cli/io/csv.hpp"
#include "upsweep/error.hpp"

namespace {

std::string outcome_of(std::span<const std::byte> bytes, upsweep::cli::csv_options options) {
    std::string outcome;
    try {
        upsweep::cli::csv_reader reader(upsweep::cli::byte_source::from_memory(bytes, "fuzz.csv"), options);
        for (const std::string& name : reader.names()) outcome += name + '\0';
        while (reader.next()) {
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
