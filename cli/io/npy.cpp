// The binary frame of .npy: magic, version, header length, then the dictionary (npy_dict.hpp) and the data.
#include "cli/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/io/message.hpp"
#include "cli/io/npy_dict.hpp"

namespace upsweep::cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t preamble_bytes = magic.size() + 2;  // and the version
// Far above what 64 axes need (1.5 KiB); a header that claims more is refused before it is read.
constexpr std::uint64_t longest_header = std::uint64_t{1} << 20;
constexpr std::size_t shortest_file_header = 128;
constexpr std::size_t data_alignment = 64;

void read_exactly(byte_source& source, char* buffer, std::size_t count, std::string_view part) {
    const std::size_t found = source.read(buffer, count);
    if (found == count) return;
    fail(source.name(), fmt::format("is truncated: {} bytes of {} are missing", count - found, part));
}

}  // namespace

array_reader read_npy(byte_source source) {
    std::array<char, preamble_bytes> preamble = {};
    const std::size_t found = source.read(preamble.data(), preamble.size());
    if (found == 0) fail(source.name(), "is empty; expected a .npy file");
    if (std::string_view(preamble.data(), std::min(found, magic.size())) != magic.substr(0, found)) {
        fail(source.name(),
             "is not a .npy file: it does not start with \\x93NUMPY; if it is raw data or "
             "a table, say so with --format");
    }
    if (found < preamble.size())
        fail(source.name(), "is truncated: the .npy header stops after " + std::to_string(found) + " bytes");
    const int major = static_cast<unsigned char>(preamble[magic.size()]);
    const int minor = static_cast<unsigned char>(preamble[magic.size() + 1]);
    if (major < 1 || major > 3 || minor != 0) {
        fail(source.name(), fmt::format(".npy version {}.{} is not one of 1.0, 2.0, 3.0", major, minor));
    }

    std::array<char, 4> length_bytes = {};
    const std::size_t length_size = major == 1 ? 2 : 4;
    read_exactly(source, length_bytes.data(), length_size, "the header length");
    std::uint64_t length = 0;
    for (std::size_t i = length_size; i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
    const std::uint64_t data_offset = preamble_bytes + length_size + length;
    if (source.size() && *source.size() < data_offset) {
        fail(source.name(), fmt::format("is truncated: the header should have {} bytes, {} are there", length,
                                        *source.size() - preamble_bytes - length_size));
    }
    if (length > longest_header) {
        fail(source.name(),
             fmt::format("the header claims {} bytes; at most {} are accepted", length, longest_header));
    }
    std::string dictionary(length, '\0');
    read_exactly(source, dictionary.data(), dictionary.size(), "the header");
    array_header header = parse_npy_dict(dictionary, source.name());
    return {std::move(source), std::move(header), data_offset};
}

std::string npy_header_text(const array_header& header) {
    std::string shape;
    for (const std::uint64_t extent : header.shape) shape += fmt::format("{}, ", extent);
    if (header.shape.size() > 1) shape.resize(shape.size() - 2);
    if (header.shape.size() == 1) shape.pop_back();
    const std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
                                               registry::npy_descr(header.type, header.order),
                                               header.fortran_order ? "True" : "False", shape);

    std::size_t length_size = 2;
    std::size_t total = 0;
    for (;; length_size = 4) {
        total = preamble_bytes + length_size + dictionary.size() + 1;
        total =
            std::max(shortest_file_header, (total + data_alignment - 1) / data_alignment * data_alignment);
        if (length_size == 4 || total - preamble_bytes - length_size <= 0xffff) break;
    }
    std::string text(magic);
    text += length_size == 2 ? '\1' : '\2';
    text += '\0';
    const std::size_t length = total - preamble_bytes - length_size;
    for (std::size_t i = 0; i < length_size; ++i) text += static_cast<char>(length >> (8 * i) & 0xff);
    text += dictionary;
    text.append(total - text.size() - 1, ' ');
    text += '\n';
    return text;
}

void check_npy_type(const std::string& file, registry::dtype type) {
    if (!registry::npy_descr(type).empty()) return;
    throw_error(errc::unsupported,
                fmt::format("{}: the .npy format has no {}; write raw data or another dtype", file,
                            registry::name(type)));
}

array_writer write_npy(output_file& output, array_header header) {
    check_npy_type(output.name(), header.type);
    return {output, std::move(header), npy_header_text};
}

}  // namespace upsweep::cli
