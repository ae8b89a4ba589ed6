// .npy files: every dtype, byte order, version and shape, headers as Python may write them, and malformed
// files.
#include "cli/io/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "registry/dtype.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace upsweep::cli;
using upsweep::registry::dtype;
namespace registry = upsweep::registry;

constexpr std::endian other_order =
    std::endian::native == std::endian::little ? std::endian::big : std::endian::little;

#define UPSWEEP_TYPE(enumerator, text, code, type, result) dtype::enumerator,
constexpr dtype all_types[] = {UPSWEEP_DTYPES(UPSWEEP_TYPE)};
#undef UPSWEEP_TYPE

std::string frame(const std::string& dictionary, int major = 1, int minor = 0) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(major);
    text += static_cast<char>(minor);
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
        text += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
    return text + dictionary;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

array_reader from(const std::string& bytes) {
    return read_npy(byte_source::from_memory(std::as_bytes(std::span(bytes)), "x.npy"));
}

array_header header_of(const std::string& text, std::size_t data_bytes, int major = 1) {
    const std::string file = frame(text, major) + std::string(data_bytes, '\0');
    return from(file).header();
}

void expect_refused(const std::string& file, const std::string& message) {
    expect_error([&] { from(file); }, "x.npy: " + message);
}

std::string read_all(array_reader& reader, std::size_t block) {
    const std::size_t item = registry::size_of(reader.header().type);
    std::string all;
    std::string part(block * item, '\xee');
    for (;;) {
        const std::size_t got = reader.read(part.data(), block);
        all.append(part, 0, got * item);
        if (got < block) return all;
    }
}

// Reverses every word of `size` bytes.
std::string reversed_words(std::string bytes, std::size_t size) {
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
    }
    return bytes;
}

std::string pattern(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 37 + 11);
    return text;
}

using npy_test = scratch_test;

TEST_F(npy_test, every_dtype_in_both_byte_orders_at_many_lengths) {
    for (const dtype type : all_types) {
        if (type == dtype::bfloat16) continue;
        const std::size_t item = registry::size_of(type);
        const std::size_t word = registry::is_complex_type(type) ? item / 2 : item;
        for (const std::endian order : {std::endian::native, other_order}) {
            for (const std::size_t count : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 9001u}) {
                const std::string raw = pattern(count * item);
                const std::string file = frame(dictionary("'" + registry::npy_descr(type, order) + "'",
                                                          "(" + std::to_string(count) + ",)")) +
                                         raw;
                std::string expected = order == std::endian::native ? raw : reversed_words(raw, word);
                if (type == dtype::bool8) {
                    for (char& byte : expected) byte = byte != 0;
                }
                for (const std::size_t block : {std::size_t{1}, std::size_t{7}, count + 1}) {
                    array_reader reader = from(file);
                    ASSERT_EQ(reader.header().type, type);
                    ASSERT_EQ(reader.count(), count);
                    ASSERT_TRUE(read_all(reader, block) == expected) << registry::name(type) << ' ' << count;
                }
            }
        }
    }
}

TEST_F(npy_test, writer_and_reader_agree) {
    for (const dtype type : all_types) {
        if (type == dtype::bfloat16) continue;
        for (const std::endian order : {std::endian::native, other_order}) {
            array_header header;
            header.type = type;
            header.order = order;
            header.shape = {5, 1, 4001};
            header.fortran_order = order != std::endian::native;
            std::string data = pattern(20005 * registry::size_of(type));
            if (type == dtype::bool8) {
                for (char& byte : data) byte = byte & 1;
            }
            const std::string path = file("out.npy");
            output_file output(path);
            array_writer writer = write_npy(output, header);
            writer.write(data.data(), 12345);
            writer.write(data.data() + 12345 * registry::size_of(type), 20005 - 12345);
            writer.finish();
            output.commit();
            EXPECT_EQ((contents(path).size() - data.size()) % 64, 0u);

            array_reader reader = read_npy(path);
            EXPECT_EQ(reader.header().type, type);
            EXPECT_EQ(reader.header().shape, header.shape);
            EXPECT_EQ(reader.header().fortran_order, header.fortran_order);
            EXPECT_TRUE(read_all(reader, 1000) == data) << registry::name(type);
        }
    }
}

TEST_F(npy_test, header_text_is_the_one_numpy_writes) {
    array_header header;
    header.type = dtype::float32;
    header.order = std::endian::little;
    header.shape = {3};
    std::string expected = std::string("\x93NUMPY\x01\x00", 8) + '\x76' + '\0' +
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    expected.append(127 - expected.size(), ' ');
    EXPECT_EQ(npy_header_text(header), expected + "\n");
    header.shape = {};
    EXPECT_NE(npy_header_text(header).find("'shape': (), }"), std::string::npos);
    header.shape = {2, 0, 7};
    EXPECT_NE(npy_header_text(header).find("'shape': (2, 0, 7), }"), std::string::npos);
    header.shape.assign(64, 1);
    EXPECT_EQ(npy_header_text(header).size() % 64, 0u);
    EXPECT_EQ(from(npy_header_text(header) + "abcd").header().shape.size(), 64u);
}

TEST_F(npy_test, version_2_where_16_bits_do_not_hold_the_length) {
    array_header header;
    header.shape.assign(9000, 1000000);
    const std::string text = npy_header_text(header);
    EXPECT_EQ(text[6], '\2');
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
}

TEST_F(npy_test, dictionaries_as_python_may_write_them) {
    const std::vector<std::uint64_t> shape = {2, 3};
    for (const std::string& text : {
             std::string("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }      \n"),
             std::string("{'shape':(2,3),'fortran_order':True,'descr':'<f8'}"),
             std::string("  {\"fortran_order\" :True\t,\n \"shape\": ( 2 ,3 , ) , u'descr' : '<f8' , } \r\n"),
             std::string("{'descr': ('<f8'), 'fortran_order': (True), 'shape': (2L, 3L)}"),
         }) {
        for (const int major : {1, 2, 3}) {
            const array_header header = header_of(text, 48, major);
            EXPECT_EQ(header.type, dtype::float64);
            EXPECT_EQ(header.order, std::endian::little);
            EXPECT_EQ(header.shape, shape);
            EXPECT_TRUE(header.fortran_order);
        }
    }
    EXPECT_TRUE(header_of(dictionary("'|b1'", "()"), 1).shape.empty());
    EXPECT_EQ(header_of(dictionary("'=i4'", "(0, 9)"), 0).order, std::endian::native);
}

TEST_F(npy_test, malformed_dictionaries_are_refused) {
    const auto refused = [](const std::string& text, const std::string& message) {
        SCOPED_TRACE(text);
        expect_refused(frame(text) + std::string(64, '\0'), message);
    };
    refused("", "header, position 1: expected a value (the header ends there)");
    refused("[]", "the header is not a dictionary: []");
    refused("{'descr': '<f4'", "header, position 16: expected ',' or '}' (the header ends there)");
    refused("{'descr' '<f4'}", "header, position 10: expected ':': \"'<f4'}\"");
    refused("{'descr': '<f4}", "header, position 11: a string without its closing quote: \"'<f4}\"");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
            "header, position 57: unexpected text after the dictionary: \"x\"");
    refused("{'descr': '<f4', 'shape': (2,)}", "the header lacks the key 'fortran_order'");
    refused("{'fortran_order': False, 'shape': (2,)}", "the header lacks the key 'descr'");
    refused("{'descr': '<f4', 'fortran_order': False}", "the header lacks the key 'shape'");
    refused("{'descr': '<f4', 'descr': '<f4'}", "the header has the key 'descr' twice");
    refused("{'descr': '<f4', 'extra': 1}", "the header has an unknown key 'extra'");
    refused("{1: 2}", "the header has an unknown key 1");
    refused(dictionary("'<f4'", "(2,)", "0"), "'fortran_order' is neither True nor False: 0");
    refused(dictionary("'<f4'", "2"), "'shape' is not a tuple: 2");
    refused(dictionary("'<f4'", "(2)"), "'shape' is not a tuple: (2)");
    refused(dictionary("'<f4'", "[2]"), "'shape' is not a tuple: [2]");
    refused(dictionary("'<f4'", "(-2,)"), "'shape' holds what is not a length: -2");
    refused(dictionary("'<f4'", "(2.5,)"), "header, position 53: expected ',' or ')': \".5,), }\\x0a\"");
    refused(dictionary("'<f4'", "('2',)"), "'shape' holds what is not a length: '2'");
    refused(dictionary("'<f4'", "(True,)"), "'shape' holds what is not a length: True");
    refused(std::string(40, '(') + std::string(40, ')'),
            "header, position 34: brackets are nested too deeply: \"((((((()))))))))))))...\"");
    std::string axes = "(";
    for (int i = 0; i < 65; ++i) axes += "1,";
    refused(dictionary("'<f4'", axes + ")"), "'shape' has 65 axes; at most 64 are supported");
}

TEST_F(npy_test, shapes_whose_product_overflows_are_refused) {
    const auto refused = [](const std::string& shape, const std::string& message) {
        SCOPED_TRACE(shape);
        expect_refused(frame(dictionary("'<f8'", shape)), message);
    };
    refused("(4294967296, 4294967296)",
            "the shape (4294967296, 4294967296) of float64 needs more than 2^63 bytes");
    refused("(1152921504606846976,)",
            "the shape (1152921504606846976) of float64 needs more than 2^63 bytes");
    refused("(0, 4294967296, 4294967296)",
            "the shape (0, 4294967296, 4294967296) of float64 needs more than 2^63 bytes");
    refused("(9223372036854775808,)", "'shape' holds a length above 2^63 - 1: 9223372036854775808");
    refused("(99999999999999999999999999,)",
            "'shape' holds a length above 2^63 - 1: 99999999999999999999999999");
    refused("(1152921504606846975,)",
            "data is truncated: the header states 9223372036854775800 bytes, 0 are there");
}

TEST_F(npy_test, dtypes_that_are_no_numbers_are_refused_by_name) {
    const auto refused = [](const std::string& descr, const std::string& kind) {
        SCOPED_TRACE(descr);
        expect_refused(frame(dictionary(descr, "(1,)")) + std::string(64, '\0'),
                       "dtype " + descr + " is " + kind + "; only numbers are supported");
    };
    refused("'|O'", "Python objects");
    refused("'<U5'", "text");
    refused("'|S3'", "text");
    refused("'|V2'", "raw bytes");
    refused("'<M8[ns]'", "dates or times");
    refused("'<m8[s]'", "dates or times");
    refused("'<f16'", "no floating-point type of this machine's C++");
    refused("[('a', '<f4'), ('b', '<i4')]", "structured");
    refused("('<f4', (3,))", "a dtype of sub-arrays");
    refused("'<i3'", "not a dtype known here");
    refused("''", "not a dtype known here");
    refused("'bfloat16'", "not a dtype known here");
    refused("4", "not a dtype known here");
}

TEST_F(npy_test, every_truncation_of_a_file_is_an_error) {
    const std::string whole = frame(dictionary("'<i4'", "(3,)")) + pattern(12);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string part = whole.substr(0, size);
        EXPECT_THROW(from(part), upsweep::error) << size;
    }
    EXPECT_NO_THROW(from(whole));
    expect_refused("", "is empty; expected a .npy file");
    expect_refused("PK\3\4", "is not a .npy file: it does not start with \\x93NUMPY");
    expect_refused(whole.substr(0, 7), "is truncated: the .npy header stops after 7 bytes");
    expect_refused(frame("", 4), ".npy version 4.0 is not one of 1.0, 2.0, 3.0");
    expect_refused(frame("", 1, 1), ".npy version 1.1 is not one of 1.0, 2.0, 3.0");
    expect_refused(whole.substr(0, 50), "is truncated: the header should have 58 bytes, 40 are there");
    expect_refused(whole.substr(0, whole.size() - 5),
                   "data is truncated: the header states 12 bytes, 7 are there");
    expect_refused(whole + "ab", "2 bytes follow the 12 bytes of data that the header states");
}

TEST_F(npy_test, a_header_length_is_not_believed) {
    const std::string huge = std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13);
    expect_refused(huge, "is truncated: the header should have 4294967295 bytes, 1 are there");
    // From a pipe the size is unknown; the claim alone must not allocate.
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], huge.data(), huge.size()), static_cast<ssize_t>(huge.size()));
    ::close(ends[1]);
    const std::string path = "/dev/fd/" + std::to_string(ends[0]);
    expect_error([&] { return read_npy(path); },
                 path + ": the header claims 4294967295 bytes; at most 1048576 are accepted");
    ::close(ends[0]);
}

// Feeds `bytes` through a pipe to `body`, which gets the name of its reading end.
template <class Body>
void through_pipe(const std::string& bytes, Body body) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread feeder([&] {
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t put =
                ::write(ends[1], bytes.data() + done, std::min<std::size_t>(bytes.size() - done, 777));
            if (put <= 0) break;
            done += static_cast<std::size_t>(put);
        }
        ::close(ends[1]);
    });
    body("/dev/fd/" + std::to_string(ends[0]));
    feeder.join();
    ::close(ends[0]);
}

TEST_F(npy_test, streams_from_a_pipe) {
    const std::string data = pattern(40000);
    const std::string file = frame(dictionary("'<u4'", "(100, 100)")) + data;
    through_pipe(file, [&](const std::string& path) {
        array_reader reader = read_npy(path);
        EXPECT_FALSE(reader.seekable());
        EXPECT_TRUE(reader.map().empty());
        EXPECT_EQ(read_all(reader, 999), data);
    });
    through_pipe(file.substr(0, file.size() - 3), [&](const std::string& path) {
        array_reader reader = read_npy(path);
        expect_error([&] { read_all(reader, 999); },
                     path + ": data is truncated: the header states 40000 bytes, 39997 are there");
    });
    through_pipe(file + "x", [&](const std::string& path) {
        array_reader reader = read_npy(path);
        expect_error([&] { read_all(reader, 999); },
                     path + ": data goes on after the 40000 bytes that the header states");
    });
}

TEST_F(npy_test, positions_and_mapping) {
    std::vector<std::int32_t> values(1000);
    std::iota(values.begin(), values.end(), -500);
    array_header header;
    header.type = dtype::int32;
    header.shape = {1000};
    const std::string path = file("x.npy");
    {
        output_file output(path);
        array_writer writer = write_npy(output, header);
        // From the end, as a reverse scan writes.
        for (std::size_t block = 10; block-- > 0;)
            writer.write_at(100 * block, values.data() + 100 * block, 100);
        writer.finish();
        output.commit();
    }
    array_reader reader = read_npy(path);
    std::array<std::int32_t, 10> part{};
    reader.seek_element(995);
    EXPECT_EQ(reader.read(part.data(), part.size()), 5u);
    EXPECT_EQ(part[0], 495);
    EXPECT_EQ(part[4], 499);
    EXPECT_EQ(reader.read_at(0, part.data(), part.size()), 10u);
    EXPECT_EQ(part[9], -491);
    EXPECT_EQ(reader.read_at(1000, part.data(), part.size()), 0u);
    EXPECT_EQ(reader.read_at(UINT64_MAX, part.data(), part.size()), 0u);
    const auto mapped = reader.map();
    ASSERT_EQ(mapped.size(), 4000u);
    EXPECT_EQ(std::memcmp(mapped.data(), values.data(), 4000), 0);
}

TEST_F(npy_test, the_writer_counts) {
    array_header header;
    header.type = dtype::uint8;
    header.shape = {4};
    output_file output(file("x.npy"));
    array_writer writer = write_npy(output, header);
    writer.write("abc", 3);
    expect_error([&] { writer.finish(); }, file("x.npy") + ": 3 elements of 4 were written");
    expect_error([&] { writer.write("de", 2); },
                 file("x.npy") + ": elements 3 to 5 do not fit in an array of 4");
}

TEST_F(npy_test, a_length_found_at_the_end_is_filled_in) {
    const std::string path = file("x.npy");
    array_header header;
    header.type = dtype::uint8;
    header.open_ended = true;
    output_file output(path);
    array_writer writer = write_npy(output, header);
    const std::string data = pattern(300000);
    writer.write(data.data(), 200000);
    writer.write(data.data() + 200000, 100000);
    writer.finish();
    output.commit();
    array_reader reader = read_npy(path);
    EXPECT_EQ(reader.header().shape, std::vector<std::uint64_t>{300000});
    EXPECT_TRUE(read_all(reader, 4096) == data);

    output_file null("/dev/null");
    expect_error(
        [&] { return write_npy(null, header); },
        "/dev/null: a header needs the number of elements first, which is unknown here; write to a file, or "
        "without a header");
}

TEST_F(npy_test, bfloat16_is_refused_by_the_writer) {
    array_header header;
    header.type = dtype::bfloat16;
    output_file output(file("x.npy"));
    expect_error([&] { return write_npy(output, header); },
                 file("x.npy") + ": the .npy format has no bfloat16; write raw data or another dtype");
}

TEST(dtype_test, names_codes_and_results) {
    EXPECT_EQ(registry::name(dtype::bool8), "bool");
    for (const dtype type : all_types) {
        EXPECT_EQ(registry::parse_dtype(registry::name(type)), type);
        EXPECT_EQ(registry::name(registry::scan_result(registry::scan_result(type))),
                  registry::name(registry::scan_result(type)));
        if (type != dtype::bfloat16) {
            EXPECT_EQ(registry::parse_dtype_layout(registry::npy_descr(type, other_order))->type, type);
        }
    }
    EXPECT_EQ(registry::scan_result(dtype::bool8), dtype::int64);
    EXPECT_EQ(registry::scan_result(dtype::uint16), dtype::uint64);
    EXPECT_EQ(registry::scan_result(dtype::float16), dtype::float16);
    EXPECT_EQ(registry::parse_dtype("f4"), dtype::float32);
    EXPECT_EQ(registry::parse_dtype("<f4"),
              std::endian::native == std::endian::little ? std::optional(dtype::float32) : std::nullopt);
    EXPECT_EQ(registry::parse_dtype("double"), dtype::float64);
    EXPECT_EQ(registry::parse_dtype_layout(">i8"), (registry::dtype_layout{dtype::int64, std::endian::big}));
    EXPECT_EQ(registry::npy_descr(dtype::uint8, std::endian::big), "|u1");
    for (const char* wrong : {"", "<", ">", "f3", "<float32", "float", "int 32", "<<f4", "f4 "}) {
        EXPECT_EQ(registry::parse_dtype(wrong).has_value(), std::string_view(wrong) == "float") << wrong;
    }
}

}  // namespace
