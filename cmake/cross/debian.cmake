# Cross-compilation on Debian, for a processor that cmake/cross/<architecture>.cmake names: Debian's cross compiler,
# libraries that `./dev` unpacks under build/cross/, and qemu's user emulation, by which CTest runs what was built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER "${upsweep_triplet}-g++")
set(CMAKE_LIBRARY_ARCHITECTURE "${upsweep_triplet}")

# Headers and libraries from there alone; programs of this machine.
get_filename_component(upsweep_packages "${CMAKE_CURRENT_LIST_DIR}/../../build/cross/${upsweep_architecture}" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${upsweep_packages}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The loader and the C and C++ libraries are those of the cross compiler.
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${CMAKE_SYSTEM_PROCESSOR};-L;/usr/${upsweep_triplet}")

# The folder of libraries that a program names holds for those that the libraries need themselves, too.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--disable-new-dtags)
