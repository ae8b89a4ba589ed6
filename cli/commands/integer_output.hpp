// Files of integers, which indices and offsets are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/io/format.hpp"
#include "cli/io/output_file.hpp"

namespace upsweep::cli {

// int64, one after the other, or in lines below a name.
void write_integers(output_file& output, file_format format, const char* name, const std::int64_t* numbers,
                    std::size_t count);

}  // namespace upsweep::cli
