# The library target upsweep::upsweep.

find_package(Threads REQUIRED)
# Google Highway: its headers alone, and private. The library uses none of its compiled functions.
find_path(UPSWEEP_HIGHWAY_INCLUDE_DIR hwy/highway.h REQUIRED)
mark_as_advanced(UPSWEEP_HIGHWAY_INCLUDE_DIR)

file(GLOB upsweep_sources CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/src/*.cpp" "${PROJECT_SOURCE_DIR}/src/cpu/*.cpp" "${PROJECT_SOURCE_DIR}/src/registry/*.cpp")
file(GLOB upsweep_cpu_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cpu/*.cpp")
file(GLOB_RECURSE upsweep_headers CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/include/upsweep/*.hpp" "${PROJECT_SOURCE_DIR}/include/upsweep/*.def")
# CudaLibrary.cmake, NcclLibrary.cmake, VulkanLibrary.cmake and MpiLibrary.cmake have theirs, which need those of
# CUDA, NCCL, Vulkan and MPI.
list(FILTER upsweep_headers EXCLUDE REGEX "/include/upsweep/(cuda|nccl|vulkan|mpi)/")

# As a part of another project, back ends are built where something links them.
set(upsweep_optional "")
if(NOT PROJECT_IS_TOP_LEVEL)
    set(upsweep_optional EXCLUDE_FROM_ALL)
endif()

add_library(upsweep ${upsweep_sources})
add_library(upsweep::upsweep ALIAS upsweep)
upsweep_strict(upsweep)
# The registry's sources; those of the engine are large. Other presets share objects by ccache, which takes such units of
# two build folders for different ones.
if(UPSWEEP_SANITIZE)
    upsweep_in_few_units(upsweep)
    set(upsweep_large_sources ${upsweep_sources})
    list(FILTER upsweep_large_sources EXCLUDE REGEX "/src/registry/")
    set_source_files_properties(${upsweep_large_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endif()
target_compile_features(upsweep PUBLIC cxx_std_20)
target_sources(upsweep PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${upsweep_headers})
target_include_directories(upsweep PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_include_directories(upsweep SYSTEM PRIVATE "${UPSWEEP_HIGHWAY_INCLUDE_DIR}")
target_link_libraries(upsweep PUBLIC Threads::Threads)

upsweep_choose_levels(upsweep)

# Part of the numeric contract, in the library and in whoever instantiates its templates: a product and a sum
# are two roundings, never one fused multiply-add.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(upsweep PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
                                          $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>)
endif()

# The engine keeps its own level where the rest of the build asks for less; a sanitized build keeps the rest's.
set(UPSWEEP_ENGINE_FLAGS -O3 CACHE STRING "How the CPU's engine is compiled, but for Debug and sanitized builds")
mark_as_advanced(UPSWEEP_ENGINE_FLAGS)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT UPSWEEP_SANITIZE)
    set_source_files_properties(${upsweep_cpu_sources} PROPERTIES COMPILE_OPTIONS
                                "$<$<NOT:$<CONFIG:Debug>>:${UPSWEEP_ENGINE_FLAGS}>")
endif()

# The networks that sort keys are written in an order in which few vectors wait for one another. g++ would hoist shuffles in
# front of what they overlap with, after its choice of registers: 128 keys of eight bytes took 92 ns on a Zen 5, and 77 without.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/cpu/sort_kernels.cpp" APPEND PROPERTY COMPILE_OPTIONS -fno-schedule-insns2)
endif()

# gcc tells AddressSanitizer of the scope of every vector that a kernel passes on by value, which is half of the time that
# kernels take to compile. Vectors have no address that could outlive them; bounds, and the stack's, are checked as anywhere.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND UPSWEEP_SANITIZE MATCHES "address")
    set(upsweep_kernel_sources ${upsweep_cpu_sources})
    list(FILTER upsweep_kernel_sources INCLUDE REGEX "_kernels[a-z_]*\\.cpp$")
    set_source_files_properties(${upsweep_kernel_sources} PROPERTIES COMPILE_OPTIONS
        "-fno-sanitize-address-use-after-scope;--param=asan-instrumentation-with-call-threshold=0")
endif()

# Kernels that compile in seconds are optimised in builds without optimisation too (Highway inlines nothing in those): the
# tests of bins took 43 s under AddressSanitizer, most of it here.
if(UPSWEEP_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(upsweep_kernel_sources ${upsweep_cpu_sources})
    list(FILTER upsweep_kernel_sources INCLUDE REGEX "/(bin|compress|find|memory|sort)_kernels\\.cpp$")
    # And the copy that the tool's `devices` measures, of 128 MiB, once for every run.
    set_source_files_properties(${upsweep_kernel_sources} "${PROJECT_SOURCE_DIR}/src/registry/measure.cpp"
                                PROPERTIES COMPILE_OPTIONS -O1)

    # Without optimisation most of what clang does for a source is to read headers, that all of them have; those that are
    # optimised cannot use what is read without. Not where g++ shares objects with other presets by ccache, which knows them by
    # the header's place.
    target_precompile_headers(upsweep PRIVATE "${PROJECT_SOURCE_DIR}/src/precompiled.hpp")
    target_compile_options(upsweep PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    set_source_files_properties(${upsweep_kernel_sources} "${PROJECT_SOURCE_DIR}/src/registry/measure.cpp"
                                PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()

# Position-independent, so that a shared object (a Python module) can take in the static library; without
# interposition gcc still inlines within the library as it does in position-dependent code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(upsweep PRIVATE -fno-semantic-interposition)
endif()
set_target_properties(upsweep PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
