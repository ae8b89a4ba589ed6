// Raw binary: lengths from the file or the end of a stream, byte orders, sizes that are no whole number of
// elements.
#include "cli/io/raw.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/scratch_directory.hpp"

namespace {

using namespace upsweep::cli;
using upsweep::registry::dtype;
using raw_test = scratch_test;

std::string stream(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 31 + 5);
    return text;
}

TEST_F(raw_test, the_file_gives_the_length) {
    for (const std::size_t count : {0u, 1u, 2u, 1001u}) {
        const std::string bytes = stream(8 * count);
        array_reader reader =
            read_raw(byte_source::open(put("x.raw", bytes)), {dtype::complex64, std::endian::native});
        EXPECT_EQ(reader.count(), count);
        EXPECT_EQ(reader.header().shape, std::vector<std::uint64_t>{count});
        std::string read(8 * count + 8, '\xee');
        EXPECT_EQ(reader.read(read.data(), count + 1), count);
        EXPECT_TRUE(read.substr(0, 8 * count) == bytes);
        EXPECT_EQ(read.substr(8 * count), std::string(8, '\xee'));
        EXPECT_EQ(reader.map().size(), bytes.size());
    }
}

TEST_F(raw_test, a_part_of_an_element_is_an_error) {
    const std::string path = put("x.raw", stream(10));
    expect_error(
        [&] {
            return read_raw(byte_source::open(path), {dtype::int32, std::endian::native});
        },
        path + ": 10 bytes are not a whole number of int32 (4 bytes each)");
}

TEST_F(raw_test, streams_end_where_they_end) {
    for (const std::size_t bytes : {0u, 4u, 40000u, 39998u}) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        const std::string data = stream(bytes);
        std::thread feeder([&] {
            if (bytes > 0) {
                EXPECT_EQ(::write(ends[1], data.data(), bytes), static_cast<ssize_t>(bytes));
            }
            ::close(ends[1]);
        });
        const std::string path = "/dev/fd/" + std::to_string(ends[0]);
        array_reader reader = read_raw(byte_source::open(path), {dtype::float32, std::endian::native});
        EXPECT_EQ(reader.count(), std::nullopt);
        std::string read;
        std::string block(4 * 3000, '\0');
        const auto drain = [&] {
            for (std::size_t got = 3000; got == 3000;) {
                got = reader.read(block.data(), 3000);
                read.append(block, 0, 4 * got);
            }
        };
        if (bytes % 4 == 0) {
            drain();
            EXPECT_TRUE(read == data);
            EXPECT_EQ(reader.count(), bytes / 4);
        } else {
            expect_error(drain, path + ": 39998 bytes are not a whole number of float32 (4 bytes each)");
        }
        feeder.join();
        ::close(ends[0]);
    }
}

TEST_F(raw_test, the_other_byte_order) {
    const auto other = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    const std::uint16_t value = 0x1234;
    array_header header;
    header.type = dtype::uint16;
    header.order = other;
    header.open_ended = true;
    const std::string path = file("x.raw");
    output_file output(path);
    array_writer writer = write_raw(output, header);
    writer.write(&value, 1);
    writer.finish();
    output.commit();
    EXPECT_EQ(contents(path), other == std::endian::big ? "\x12\x34" : "\x34\x12");
    array_reader reader = read_raw(byte_source::open(path), {dtype::uint16, other});
    std::uint16_t read = 0;
    EXPECT_TRUE(reader.map().empty());
    EXPECT_EQ(reader.read(&read, 1), 1u);
    EXPECT_EQ(read, value);
}

}  // namespace
