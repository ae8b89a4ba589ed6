// CSV and TSV: RFC 4180 in blocks of any size, numbers, errors with line and column, and the writer.
#include "cli/io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "cli/io/output_file.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace upsweep::cli;
using table = std::vector<std::vector<std::string>>;
using csv_test = scratch_test;

// Keeps the text, which the reader only refers to.
csv_reader reader_of(const std::string& text, csv_options options = {}) {
    static std::deque<std::string> kept;
    const std::string& own = kept.emplace_back(text);
    return csv_reader(byte_source::from_memory(std::as_bytes(std::span(own)), "x.csv"), options);
}

table rows_left(csv_reader& reader) {
    table rows;
    while (reader.next()) {
        rows.emplace_back();
        for (std::size_t i = 0; i < reader.names().size(); ++i) rows.back().emplace_back(reader.cell(i));
    }
    return rows;
}

// The header and the rows, the same for blocks of every size that splits the text somewhere.
table rows_of(const std::string& text, csv_options options = {}) {
    table expected;
    for (std::size_t block = text.size() + 1; block > 0; --block) {
        options.block_bytes = block;
        csv_reader reader = reader_of(text, options);
        table rows = rows_left(reader);
        rows.insert(rows.begin(), reader.names());
        if (expected.empty()) expected = rows;
        EXPECT_EQ(rows, expected) << "block of " << block;
    }
    return expected;
}

void expect_refused(const std::string& text, const std::string& message, csv_options options = {}) {
    SCOPED_TRACE(text);
    for (std::size_t block = text.size() + 1; block > 0; --block) {
        options.block_bytes = block;
        expect_error(
            [&] {
                csv_reader reader = reader_of(text, options);
                rows_left(reader);
            },
            "x.csv: " + message);
    }
}

csv_number number(const std::string& text) {
    csv_number value;
    EXPECT_EQ(parse_number(text, value), number_problem::none) << text;
    return value;
}

TEST_F(csv_test, rows_and_line_ends) {
    const table expected = {{"a", "b"}, {"1", "2"}, {"", "x y"}};
    EXPECT_EQ(rows_of("a,b\n1,2\n,x y\n"), expected);
    EXPECT_EQ(rows_of("a,b\r\n1,2\r\n,x y\r\n"), expected);
    EXPECT_EQ(rows_of("a,b\r1,2\r,x y\r"), expected);
    EXPECT_EQ(rows_of("a,b\n1,2\n,x y"), expected);
    EXPECT_EQ(rows_of("\xef\xbb\xbf"
                      "a,b\n1,2\n,x y\n\n\r\n\n"),
              expected);
    EXPECT_EQ(rows_of("a,b\n"), (table{{"a", "b"}}));
    EXPECT_EQ(rows_of("a,b"), (table{{"a", "b"}}));
    EXPECT_EQ(rows_of("a\n1\n2"), (table{{"a"}, {"1"}, {"2"}}));
    EXPECT_EQ(rows_of("a,b\n1,"), (table{{"a", "b"}, {"1", ""}}));
}

TEST_F(csv_test, quoted_cells) {
    EXPECT_EQ(rows_of("\"a\",\"b,c\"\n\"1\"\"2\",\"x\r\ny\n\"\n\"\",\"\"\"\"\n\"\"\"\"\"\",\"q\""),
              (table{{"a", "b,c"}, {"1\"2", "x\r\ny\n"}, {"", "\""}, {"\"\"", "q"}}));
    EXPECT_EQ(rows_of("a,b\n5\" pipe, \"x\"\n"), (table{{"a", "b"}, {"5\" pipe", " \"x\""}}));
}

TEST_F(csv_test, tabs_and_no_header) {
    csv_options options;
    options.delimiter = delimiter_of("x.TSV");
    EXPECT_EQ(rows_of("a\tb\n1,5\t2\n", options), (table{{"a", "b"}, {"1,5", "2"}}));
    EXPECT_EQ(delimiter_of("x.csv"), ',');
    options = {};
    options.header = false;
    EXPECT_EQ(rows_of("1,\"2\"\"\"\n3,4\n", options), (table{{"1", "2"}, {"1", "2\""}, {"3", "4"}}));
}

// Whatever the block size, rows keep quotes, blanks and line ends.
TEST_F(csv_test, texts_of_rows) {
    const std::string file =
        "\xef\xbb\xbf\"a\",b\r\n\"x\"\"y\"\"\", 1\n\"two\r\nlines\",\r,\"\"\r\n1,\"\"\"\"";
    for (std::size_t block = 1; block <= file.size(); ++block) {
        SCOPED_TRACE(block);
        csv_options options;
        options.block_bytes = block;
        csv_reader reader = reader_of(file, options);
        for (int time = 0; time < 2; ++time) {
            EXPECT_EQ(reader.row_text(), "\"a\",b");
            EXPECT_EQ(reader.line_end(), "\r\n");
            const std::pair<std::string, std::string> rows[] = {{"\"x\"\"y\"\"\", 1", "\n"},
                                                                {"\"two\r\nlines\",", "\r"},
                                                                {",\"\"", "\r\n"},
                                                                {"1,\"\"\"\"", "\r\n"}};
            for (const auto& [text, end] : rows) {
                ASSERT_TRUE(reader.next());
                EXPECT_EQ(reader.row_text(), text);
                EXPECT_EQ(reader.line_end(), end);
            }
            EXPECT_EQ(reader.cell(1), "\"");
            EXPECT_FALSE(reader.next());
            reader.rewind();
        }
    }
}

TEST_F(csv_test, malformed_files) {
    expect_refused("", "is empty; expected rows of separated values");
    expect_refused("\xef\xbb\xbf", "is empty; expected rows of separated values");
    expect_refused("\n", "holds only blank lines; expected rows of separated values");
    expect_refused(std::string("\xff\xfe"
                               "a\0,\0",
                               6),
                   "is UTF-16; expected UTF-8");
    expect_refused("a,b\n1,2\n3\n", "line 3 has 1 cells, the first row has 2");
    expect_refused("a,b\n1,2,3\n", "line 2 has more than 2 cells, the number in the first row");
    expect_refused("a,b\n\n1,2\n", "line 2 is blank");
    expect_refused("a\n1\n\n\n2\n", "line 3 is blank");
    expect_refused("a,b\n1,\"2\n3,4\n", "line 2, column 2: a quoted cell that nothing closes");
    expect_refused("a,b\n\"x\ny\",\"2\"3\n", "line 3, column 2: text after the closing quote");
}

TEST_F(csv_test, numbers) {
    for (const char* text :
         {"0", "7", "+7", " 7\t", "-7", "9223372036854775807", "-9223372036854775808", "007"}) {
        EXPECT_TRUE(number(text).integer) << text;
    }
    EXPECT_EQ(number("-9223372036854775808").whole, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(number("+7").whole, 7);
    for (const char* text :
         {"-0", "1.0", "1e3", "9223372036854775808", ".5", "5.", "nan", "-NaN", "inf", "-Infinity"}) {
        EXPECT_FALSE(number(text).integer) << text;
    }
    EXPECT_EQ(number("9223372036854775808").real, 0x1p63);
    EXPECT_TRUE(std::signbit(number("-0").real));
    EXPECT_EQ(number("0.1").real, 0.1);
    EXPECT_EQ(number("2.2250738585072014e-308").real, 0x1p-1022);
    EXPECT_EQ(number("5e-324").real, 0x1p-1074);
    EXPECT_EQ(number("1e-400").real, 0.0);
    EXPECT_EQ(number("1.7976931348623157e308").real, std::numeric_limits<double>::max());
    EXPECT_TRUE(std::isnan(number("nan").real));
    EXPECT_EQ(number("-inf").real, -std::numeric_limits<double>::infinity());
    for (const char* text : {"n/a", "1 2", "0x10", "1,5", "--1", "+-1", "-+1", "+", "-", ".", "e5", "1e",
                             "nan(1)", "in", "1_000", "\xc2\xa0"}) {
        csv_number value;
        EXPECT_EQ(parse_number(text, value), number_problem::not_a_number) << text;
    }
    csv_number value;
    EXPECT_EQ(parse_number("1e400", value), number_problem::out_of_range);
    EXPECT_EQ(parse_number(" \t", value), number_problem::empty);
}

TEST_F(csv_test, errors_say_line_column_and_name) {
    csv_reader reader =
        reader_of("day,\"open\nprice\",close\n1,2,3\n\"x\ny\",\"4\n\",n/a\n5,,1e999\n6,\"\x01\",7\n");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.number(reader.column("close")).whole, 3);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.line(), 4u);
    expect_error([&] { return reader.number(2); },
                 "x.csv: line 6, column 3 (close): \"n/a\" is not a number");
    expect_error([&] { return reader.number(0); },
                 "x.csv: line 4, column 1 (day): \"x\\x0ay\" is not a number");
    ASSERT_TRUE(reader.next());
    expect_error([&] { return reader.number(1); },
                 "x.csv: line 7, column 2 (open\\x0aprice): the cell is empty; expected a number");
    expect_error([&] { return reader.number(2); },
                 "x.csv: line 7, column 3 (close): \"1e999\" is beyond the range of float64");
    ASSERT_TRUE(reader.next());
    expect_error([&] { return reader.number(1); },
                 "x.csv: line 8, column 2 (open\\x0aprice): \"\\x01\" is not a number");
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.rows(), 4u);
    expect_error([&] { return reader.column("price"); },
                 "x.csv: has no column \"price\"; its columns are \"day\", \"open\\x0aprice\", \"close\"");
}

TEST_F(csv_test, ambiguous_columns_and_delimiters_without_meaning) {
    csv_reader reader = reader_of("a,b,a\n1,2,3\n");
    EXPECT_EQ(reader.column("b"), 1u);
    expect_error([&] { return reader.column("a"); }, "x.csv: has more than one column \"a\"");
    csv_options options;
    options.delimiter = '"';
    expect_error([&] { reader_of("a\n", options); }, "a quote or a line end cannot separate cells");
}

TEST_F(csv_test, a_long_row_is_read_and_an_endless_one_refused) {
    const std::string cell(5 << 20, 'x');
    csv_reader reader = reader_of("a,b\n" + cell + "," + cell + "\n1,2\n");
    ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.cell(1) == cell);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(1), "2");
    expect_error([&] { reader_of("a\n\"" + std::string(40 << 20, 'x')).next(); },
                 "x.csv: line 2 starts a row longer than 16 MiB; is a quote not closed?");
    expect_error([&] { reader_of(std::string(1 << 20, ',')); },
                 "x.csv: line 1 has more than 65536 cells, the most that a row may have");
}

TEST_F(csv_test, rewind_starts_over) {
    for (const bool header : {true, false}) {
        csv_options options;
        options.header = header;
        options.block_bytes = 5;
        csv_reader reader = reader_of("a,b\n1,2\n\"3\"\"\",4\n", options);
        const table first = rows_left(reader);
        reader.rewind();
        EXPECT_EQ(rows_left(reader), first);
        EXPECT_EQ(reader.rows(), header ? 2u : 3u);
    }
}

TEST_F(csv_test, a_column_widens_at_its_first_real_number) {
    number_column column;
    column.add(number("9007199254740993"));
    EXPECT_TRUE(column.integers_only());
    EXPECT_EQ(column.integers()[0], 9007199254740993);
    column.add(number("0.5"));
    column.add(number("3"));
    EXPECT_FALSE(column.integers_only());
    EXPECT_EQ(std::vector<double>(column.reals().begin(), column.reals().end()),
              (std::vector<double>{9007199254740992, 0.5, 3}));
    column.clear();
    column.add(number("1"));
    EXPECT_EQ(column.size(), 1u);
    EXPECT_FALSE(column.integers_only());
}

TEST_F(csv_test, what_is_written_is_read_again) {
    const table rows = {
        {"plain", "with,comma", "with \"quotes\""}, {"line\nbreak", " spaces ", ""}, {"\"", "\r", "ü"}};
    const std::string path = file("out.csv");
    {
        output_file output(path);
        csv_writer writer(output);
        for (const auto& row : rows) {
            for (const std::string& cell : row) writer.cell(cell);
            writer.end_row();
        }
        output.commit();
    }
    csv_reader reader(byte_source::open(path));
    table read = rows_left(reader);
    read.insert(read.begin(), reader.names());
    EXPECT_EQ(read, rows);

    output_file output(path);
    csv_writer writer(output, '\t');
    writer.cell(std::int64_t{-5});
    writer.cell(std::uint64_t{18446744073709551615u});
    writer.cell(0.1f);
    writer.cell(0.1);
    writer.cell(-std::numeric_limits<double>::quiet_NaN());
    writer.cell(-std::numeric_limits<double>::infinity());
    writer.cell(std::string_view("a,b"));
    writer.end_row();
    writer.cell(std::string_view());
    writer.end_row();
    output.commit();
    EXPECT_EQ(contents(path), "-5\t18446744073709551615\t0.1\t0.1\tnan\t-inf\ta,b\n\"\"\n");
}

}  // namespace
