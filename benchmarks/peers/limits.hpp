// One thread's share of the work that bounds a scan; compiled for the machine at hand like the peers.
#pragma once

#include <cstddef>

namespace bench {

// Copies with stores that bypass the caches, on x86; elsewhere an ordinary copy. `to` must be 64-byte
// aligned.
void copy_non_temporal(std::byte* to, const std::byte* from, std::size_t bytes);

// Adds one to every 32-bit word; bytes beyond the last whole word are left alone.
void read_modify_write(std::byte* data, std::size_t bytes);

// Reads every 64-bit word; bytes beyond the last whole word are left alone.
void read_words(const std::byte* data, std::size_t bytes);

}  // namespace bench
