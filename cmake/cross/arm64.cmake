# 64-bit Arm.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(upsweep_triplet aarch64-linux-gnu)
set(upsweep_architecture arm64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
