// The headers of .npy files: as NumPy writes them, as Python may, and malformed ones.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <string>
#include <vector>

#include "cli/io/npy.hpp"
#include "support/npy_files.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace upsweep::cli;
using namespace upsweep::test;
using upsweep::registry::dtype;

array_header header_of(const std::string& text, std::size_t data_bytes, int major = 1) {
    const std::string file = frame(text, major) + std::string(data_bytes, '\0');
    return from(file).header();
}

void expect_refused(const std::string& file, const std::string& message) {
    expect_error([&] { from(file); }, "x.npy: " + message);
}

TEST(npy_header, header_text_is_the_one_numpy_writes) {
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

TEST(npy_header, version_2_where_16_bits_do_not_hold_the_length) {
    array_header header;
    header.shape.assign(9000, 1000000);
    const std::string text = npy_header_text(header);
    EXPECT_EQ(text[6], '\2');
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
}

TEST(npy_header, dictionaries_as_python_may_write_them) {
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

TEST(npy_header, malformed_dictionaries_are_refused) {
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

TEST(npy_header, shapes_whose_product_overflows_are_refused) {
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

TEST(npy_header, dtypes_that_are_no_numbers_are_refused_by_name) {
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

TEST(npy_header, every_truncation_of_a_file_is_an_error) {
    const std::string whole = frame(dictionary("'<i4'", "(3,)")) + pattern(12);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string part = whole.substr(0, size);
        EXPECT_THROW(from(part), upsweep::error) << size;
    }
    EXPECT_NO_THROW(from(whole));
    expect_refused("", "is empty; expected a .npy file");
    expect_refused(
        "PK\3\4",
        "is not a .npy file: it does not start with \\x93NUMPY; if it is raw data or a table, say so "
        "with --format");
    expect_refused(whole.substr(0, 7), "is truncated: the .npy header stops after 7 bytes");
    expect_refused(frame("", 4), ".npy version 4.0 is not one of 1.0, 2.0, 3.0");
    expect_refused(frame("", 1, 1), ".npy version 1.1 is not one of 1.0, 2.0, 3.0");
    expect_refused(whole.substr(0, 50), "is truncated: the header should have 58 bytes, 40 are there");
    expect_refused(whole.substr(0, whole.size() - 5),
                   "data is truncated: the header states 12 bytes, 7 are there");
    expect_refused(whole + "ab", "2 bytes follow the 12 bytes of data that the header states");
}

TEST(npy_header, a_header_length_is_not_believed) {
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

}  // namespace
