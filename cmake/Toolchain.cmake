# What holds for every target built here and for nobody else: build type, ccache, warnings, sanitizers.

get_property(upsweep_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT upsweep_multi_config AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    find_program(UPSWEEP_CCACHE ccache)
    if(UPSWEEP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${UPSWEEP_CCACHE}")
    endif()
    if(UPSWEEP_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
        set(CMAKE_CUDA_COMPILER_LAUNCHER "${UPSWEEP_CCACHE}")
    endif()
endif()

# Where everything is compiled once, to be tested and not to be measured, so not in a release, g++ leaves out what takes it
# longer than the tests gain by: optimizations, a tenth of its time and of that for kernels a quarter, and to look for memory
# that it could use again, another tenth (with this it looks once there is a GiB of it). Presets for an emulator keep
# the optimizations: at their -O1, g++ warns without these of bounds that it has not computed.
if(UPSWEEP_FEW_UNITS AND NOT CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
    if(NOT CMAKE_CROSSCOMPILING_EMULATOR)
        add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-tree-ccp;-fno-tree-bit-ccp>"
                            "$<$<COMPILE_LANGUAGE:CXX>:-fno-tree-dominator-opts;-fno-tree-pta;-fno-ivopts>")
    endif()
endif()
# Line numbers take g++ a tenth of its time and clang a sixth.
if(UPSWEEP_NO_LINE_NUMBERS)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-g0>)
endif()

# The sixty programs of the tests link in a quarter of the time. Nothing that is shipped is linked by it.
if(PROJECT_IS_TOP_LEVEL AND UPSWEEP_LLD)
    find_program(UPSWEEP_LLD_PROGRAM ld.lld)
    mark_as_advanced(UPSWEEP_LLD_PROGRAM)
    if(UPSWEEP_LLD_PROGRAM)
        add_link_options(-fuse-ld=lld -Wl,--threads=1)  # as many run at a time as there are processors
    endif()
endif()

# Sanitizers must see the whole program, hence directory-wide options. Without checks of every pointer for null and for the
# size of what it points into, whose use AddressSanitizer reports as well, a file compiles in half of the time.
if(UPSWEEP_SANITIZE)
    string(REPLACE ";" "," upsweep_sanitizers "${UPSWEEP_SANITIZE}")
    add_compile_options(-fsanitize=${upsweep_sanitizers} -fno-sanitize=null,object-size -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${upsweep_sanitizers})
    # What is undefined stops the program at once (AddressSanitizer then prints stack and line, see the presets of tests)
    # instead of being described: the descriptions took an eighth of the time to compile, and are a million pointers, which
    # every start of the command-line tool had to relocate.
    if("undefined" IN_LIST UPSWEEP_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        add_compile_options(-fsanitize-trap=undefined)
    endif()
    # At a fixed address there is little to relocate at the starts of the command-line tool, thousands in the tests.
    if("address" IN_LIST UPSWEEP_SANITIZE)
        add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
endif()

# upsweep_strict(TARGET): the project's own sources; a dependency's headers are system headers.
function(upsweep_strict target)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>")
        # Not -Wpedantic: nvcc's own output is not pedantic.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # A note on the ABI of gcc before 4.4, and a false alarm of gcc 12 on strings (gcc bug 105651).
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi;-Wno-restrict>"
                                                 $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-psabi,-Wno-restrict>)
    endif()
    if(UPSWEEP_WARNINGS_AS_ERRORS)
        set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
    endif()
endfunction()

# upsweep_starts(PROGRAM TOOL): that a program needs a tool when it runs. With add_dependencies() ninja would compile none of its
# sources before the tool stands: ten seconds for one of two processors to wait.
function(upsweep_starts program tool)
    if(CMAKE_GENERATOR MATCHES "^Ninja")
        set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS "$<TARGET_FILE:${tool}>")
    else()
        add_dependencies(${program} ${tool})
    endif()
endfunction()

# upsweep_in_few_units(TARGET): headers take most of the time of small files; builds that nobody builds piece by piece read
# them once for many files.
function(upsweep_in_few_units target)
    if(UPSWEEP_FEW_UNITS)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
    endif()
endfunction()

# upsweep_cuda_in_few_units(TARGET HEADER...): the same for CUDA sources: a unit of those that include one of the headers, for
# each, and one of all others. CMake unites CUDA sources itself from 3.31 on.
function(upsweep_cuda_in_few_units target)
    if(NOT UPSWEEP_FEW_UNITS)
        return()
    endif()
    get_target_property(others ${target} SOURCES)
    list(FILTER others INCLUDE REGEX "\\.cu$")
    foreach(header IN LISTS ARGN ITEMS "")
        set(united "")
        foreach(source IN LISTS others)
            file(STRINGS "${source}" found REGEX "^#include \"${header}")
            if(found)
                list(APPEND united "${source}")
            endif()
        endforeach()
        if(NOT united)
            continue()
        endif()
        list(REMOVE_ITEM others ${united})
        list(TRANSFORM united REPLACE ".+" "#include \"\\0\"\n" OUTPUT_VARIABLE lines)
        list(JOIN lines "" lines)
        string(MAKE_C_IDENTIFIER "${target}/${header}" name)
        set(unit "${PROJECT_BINARY_DIR}/units/${name}.cu")
        file(CONFIGURE OUTPUT "${unit}" CONTENT "${lines}" @ONLY)
        set_source_files_properties(${united} PROPERTIES HEADER_FILE_ONLY ON)
        target_sources(${target} PRIVATE "${unit}")
    endforeach()
endfunction()
