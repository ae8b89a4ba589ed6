# What documentation pages show as code is what compilers take: each block of a page is compiled, by ../../tools/code_blocks.py in a
# file that has arrays for its names.
find_program(UPSWEEP_PYTHON3 python3 REQUIRED)
mark_as_advanced(UPSWEEP_PYTHON3)

# upsweep_guide(PAGE SOURCE LIBRARY...): docs/PAGE.md's, in SOURCE of this folder, which names the target. back_end.hpp has all headers
# of include/upsweep/PAGE, of which blocks name few.
function(upsweep_guide page source)
    cmake_path(GET source STEM target)
    set(page_file "${PROJECT_SOURCE_DIR}/docs/${page}.md")
    set(code_blocks "${PROJECT_SOURCE_DIR}/tools/code_blocks.py")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page_file}" "${code_blocks}")
    execute_process(COMMAND "${UPSWEEP_PYTHON3}" "${code_blocks}" "${page_file}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/upsweep/${page}/*.hpp")
    list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
    list(JOIN headers "" text)
    file(CONFIGURE OUTPUT "${folder}/back_end.hpp" CONTENT "${text}" @ONLY)
    add_library(${target} OBJECT "${PROJECT_SOURCE_DIR}/tests/documentation/${source}")
    upsweep_strict(${target})
    target_include_directories(${target} PRIVATE "${folder}")
    target_link_libraries(${target} PRIVATE ${ARGN})
    if(source MATCHES "\\.cu$")
        # The front end alone reads it, for the device and for the host.
        set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES 90-virtual)
        target_compile_options(${target} PRIVATE -fdevice-syntax-only)
    else()
        # A page names what its reader goes on with.
        target_compile_options(${target} PRIVATE -Wno-shadow -Wno-unused-variable -Wno-unused-but-set-variable)
    endif()
endfunction()
