# MPI: headers and library of an implementation of MPI 3.0 or later (mpicxx knows where, or MPI_HOME names it). The C++
# bindings, which MPI 3 has dropped, are not used.
set(MPI_CXX_SKIP_MPICXX TRUE)
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)  # of this function: no words within the table
find_package(MPI 3.0 QUIET COMPONENTS CXX)
unset(CMAKE_MESSAGE_LOG_LEVEL)

if(TARGET MPI::MPI_CXX AND MPI_CXX_FOUND)
    set(found TRUE)
    set(note "MPI ${MPI_CXX_VERSION}, ${MPI_CXX_HEADER_DIR}")
else()
    set(note "missing MPI 3.0 or later (Debian: libopenmpi-dev openmpi-bin)")
endif()
