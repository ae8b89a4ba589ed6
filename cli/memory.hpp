// How much memory there is, and how much of it is to be had.
#pragma once

#include <cstdint>
#include <string>

namespace upsweep::cli {

// What this machine has, in bytes; 2 GiB where the system does not tell.
[[nodiscard]] std::uint64_t memory_bytes();

// What could be had now without swapping: what the kernel estimates, but no more than the least limit of the
// control groups that this process is in (cgroups, of version 1 or 2); what the machine has where it does not
// tell. `root` is the folder in which /proc and /sys lie.
[[nodiscard]] std::uint64_t available_memory_bytes(const std::string& root = "");

// Gives memory that is held for later allocations back to the system, where the C library can.
void give_back_memory();

}  // namespace upsweep::cli
