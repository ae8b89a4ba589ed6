// Raw binary: elements of one type, one after the other, nothing else. The length is the file's, or whatever
// comes until a stream ends.
#pragma once

#include <utility>

#include "cli/io/array_file.hpp"

namespace upsweep::cli {

[[nodiscard]] inline array_reader read_raw(byte_source source, registry::dtype_layout layout) {
    array_header header;
    header.type = layout.type;
    header.order = layout.order;
    header.open_ended = true;
    return {std::move(source), std::move(header), 0};
}

[[nodiscard]] inline array_writer write_raw(output_file& output, array_header header) {
    return {output, std::move(header), nullptr};
}

}  // namespace upsweep::cli
