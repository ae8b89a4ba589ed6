# IBM Z, whose byte order is big-endian.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(upsweep_triplet s390x-linux-gnu)
set(upsweep_architecture s390x)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
