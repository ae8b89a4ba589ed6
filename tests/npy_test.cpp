// The elements of .npy files: every dtype, byte order and shape, from memory, files and pipes, and written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cli/io/npy.hpp"
#include "support/dtypes.hpp"
#include "support/npy_files.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace upsweep::cli;
using namespace upsweep::test;
using upsweep::registry::dtype;
namespace registry = upsweep::registry;

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
    const std::string file = frame(dictionary("'=u4'", "(100, 100)")) + data;
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
    // Without elements nobody need read.
    const std::string empty = frame(dictionary("'=u4'", "(0, 100)"));
    through_pipe(empty, [&](const std::string& path) {
        array_reader reader = read_npy(path);
        EXPECT_EQ(read_all(reader, 999), "");
    });
    through_pipe(empty + "x", [&](const std::string& path) {
        expect_error([&] { static_cast<void>(read_npy(path)); },
                     path + ": data goes on after the 0 bytes that the header states");
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

}  // namespace
