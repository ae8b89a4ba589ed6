// Files of integers, which indices and offsets are, and of elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/io/format.hpp"
#include "cli/io/output_file.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

// int64, one after the other, or in lines below a name.
void write_integers(output_file& output, file_format format, const char* name, const std::int64_t* numbers,
                    std::size_t count);

// An array of one dimension, or int64 indices as above.
void write_sequence(output_file& output, file_format format, registry::dtype type, bool are_indices,
                    const std::byte* elements, std::size_t count);

}  // namespace upsweep::cli
