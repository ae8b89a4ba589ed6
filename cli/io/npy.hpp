// NumPy's .npy files, versions 1.0 to 3.0 (numpy.lib.format): every numeric dtype in both byte orders, C and
// Fortran order, 0 to 64 axes.
#pragma once

#include <string>

#include "cli/io/array_file.hpp"

namespace upsweep::cli {

// Reads and checks the header; errors name the source. Dtypes that are not numeric are refused by name.
[[nodiscard]] array_reader read_npy(byte_source source);
[[nodiscard]] inline array_reader read_npy(const std::string& path) {
    return read_npy(byte_source::open(path));
}

// Throws upsweep::error naming the file for what the format lacks, which is bfloat16.
void check_npy_type(const std::string& file, registry::dtype type);
// Writes the header; see array_writer. The type is checked.
[[nodiscard]] array_writer write_npy(output_file& output, array_header header);

// Magic, version, length and dictionary: version 1.0, or 2.0 where 16 bits do not hold the length. A multiple
// of 64 bytes and at least 128, so that any 1-d array has a header of 128.
[[nodiscard]] std::string npy_header_text(const array_header& header);

}  // namespace upsweep::cli
