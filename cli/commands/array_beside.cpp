#include "cli/commands/array_beside.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <utility>

#include "cli/io/message.hpp"
#include "cli/io/npy.hpp"
#include "cli/io/raw.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {

file_format array_beside::format(const file_arguments& arguments) const {
    return format_of(file).value_or(arguments.input_format);
}

void array_beside::check_name(const file_arguments& arguments) const {
    if (file.empty()) throw usage_error(fmt::format("{}: the file name is empty", option));
    if (file == "-" && arguments.input == "-")
        throw usage_error(fmt::format("{} -: standard input is INPUT already", option));
    if (is_table(format(arguments))) {
        throw usage_error(
            fmt::format("{} {}: expected a .npy or raw file, as INPUT is an array", option, printable(file)));
    }
}

array_reader array_beside::open(const file_arguments& arguments, const array_header& elements) const {
    byte_source source = byte_source::open(file);
    if (format(arguments) == file_format::npy) return read_npy(std::move(source));
    const registry::dtype_layout same{elements.type, std::endian::native};
    return read_raw(std::move(source), arguments.input_dtype.value_or(same));
}

void array_beside::check(const file_arguments& arguments, const array_reader& elements,
                         const array_reader& beside) const {
    const std::string& name = elements.source().name();
    const bool both_tell =
        arguments.input_format == file_format::npy && format(arguments) == file_format::npy;
    if (both_tell && elements.header().shape != beside.header().shape) {
        fail(beside.source().name(), fmt::format("{} of shape ({}), but {} has shape ({})", what,
                                                 fmt::join(beside.header().shape, ", "), name,
                                                 fmt::join(elements.header().shape, ", ")));
    }
    const auto count = elements.count(), others = beside.count();
    if (count && others && *count != *others) {
        fail(beside.source().name(),
             fmt::format("{} {}, but {} has {} elements", *others, what, name, *count));
    }
}

void array_beside::fail_count(const char* fewer_or_more, const array_reader& elements,
                              const array_reader& beside) const {
    fail(beside.source().name(),
         fmt::format("{} {} than {} has elements", fewer_or_more, what, elements.source().name()));
}

}  // namespace upsweep::cli
