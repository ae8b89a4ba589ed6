// Feeds arbitrary bytes to the .npy reader. What it accepts must hold exactly the elements that it claims,
// and must survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "cli/io/npy.hpp"
#include "upsweep/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace upsweep::cli;
    try {
        array_reader reader =
            read_npy(byte_source::from_memory(std::as_bytes(std::span(data, size)), "fuzz.npy"));
        const std::size_t item = upsweep::registry::size_of(reader.header().type);
        std::vector<std::byte> block(100 * item);
        std::uint64_t total = 0;
        for (std::size_t got = 100; got == 100; total += got) got = reader.read(block.data(), 100);
        if (total != reader.count() || total * item > size) std::abort();
        const auto mapped = reader.map();
        if (!mapped.empty() && mapped.size() != total * item) std::abort();

        const std::string again = npy_header_text(reader.header()) + std::string(total * item, '\0');
        const array_reader second =
            read_npy(byte_source::from_memory(std::as_bytes(std::span(again)), "again.npy"));
        if (second.header().shape != reader.header().shape || second.header().type != reader.header().type ||
            second.header().fortran_order != reader.header().fortran_order) {
            std::abort();
        }
    } catch (const upsweep::error&) {
    }
    return 0;
}
