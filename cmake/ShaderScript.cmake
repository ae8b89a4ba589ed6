# The build steps of Shaders.cmake, each run as `cmake -D STEP=... -P ShaderScript.cmake`.
#
# flatten  STAGES, SOURCES, OUTPUT, EXTENSION, FOLDERS, HEADER, USER: of each stage SOURCES/<stage>.comp a file
#          OUTPUT<EXTENSION>, in which <stage> stands for its name, with every #include "file" replaced by the file, looked
#          for in FOLDERS (separated by `|`). Strings in *.def become 0, since GLSL has none. The lines of HEADER, also
#          separated by `|`, go in front; the file USER, if given, replaces the line `//! user text`.
# modules  The same with `.comp`, and OUTPUT.spv of each: SPIR-V by GLSLC or GLSLANG, stripped of names by SPIRV_OPT if it is
#          there, and checked by SPIRV_VAL. One process compiles them all, as it takes longer to start than to compile one.
# texts    FILES, OUTPUT, NAMESPACE: C++ with each file as a string literal, without comments, in an array `texts`.
# words    FILES, OUTPUT, OPEN, CLOSE: a C++ header with each SPIR-V file as an array of words named by its stem, between
#          OPEN and CLOSE, in which `|` stands for a new line and <end> for a semicolon.
cmake_minimum_required(VERSION 3.25)

function(flatten input output)
    file(READ "${input}" text)
    # Each round replaces the first #include; the stages include every file at most once.
    while(text MATCHES "#include \"([^\"\n]+)\"")
        set(directive "${CMAKE_MATCH_0}")
        set(name "${CMAKE_MATCH_1}")
        unset(found CACHE)
        find_file(found "${name}" PATHS ${FOLDERS} NO_DEFAULT_PATH)
        if(NOT found)
            message(FATAL_ERROR "${input}: there is no ${name} in ${FOLDERS}")
        endif()
        file(READ "${found}" included)
        if(name MATCHES "\\.def$")
            string(REGEX REPLACE "\"[^\"\n]*\"" "0" included "${included}")
        endif()
        string(REPLACE "${directive}\n" "${included}" text "${text}")
    endwhile()
    if(USER)
        file(READ "${USER}" user)
        string(REPLACE "//! user text\n" "${user}\n" text "${text}")
    endif()
    string(REPLACE "|" "\n" header "${HEADER}")
    if(header)
        string(APPEND header "\n")
    endif()
    file(WRITE "${output}" "${header}${text}")
endfunction()

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(STEP STREQUAL "flatten" OR STEP STREQUAL "modules")
    string(REPLACE "|" ";" FOLDERS "${FOLDERS}")
    set(bases "")
    set(flat "")
    foreach(stage IN LISTS STAGES)
        string(REPLACE "<stage>" "${stage}" base "${OUTPUT}")
        list(APPEND bases "${base}")
        list(APPEND flat "${base}${EXTENSION}")
        flatten("${SOURCES}/${stage}.comp" "${base}${EXTENSION}")
    endforeach()
endif()

if(STEP STREQUAL "modules")
    if(GLSLC)
        cmake_path(GET OUTPUT PARENT_PATH folder)
        execute_process(COMMAND "${GLSLC}" -O0 --target-env=vulkan1.1 -Werror -c ${flat} WORKING_DIRECTORY "${folder}"
                        COMMAND_ERROR_IS_FATAL ANY)
    endif()
    foreach(base IN LISTS bases)
        if(GLSLC)
            file(RENAME "${base}.comp.spv" "${base}.spv")
        else()
            run("${GLSLANG}" -V --target-env vulkan1.1 --quiet "${base}.comp" -o "${base}.spv")
        endif()
        if(SPIRV_OPT)
            run("${SPIRV_OPT}" --strip-debug --eliminate-dead-functions --eliminate-dead-const --compact-ids "${base}.spv"
                -o "${base}.spv")
        endif()
        run("${SPIRV_VAL}" --target-env vulkan1.1 "${base}.spv")
    endforeach()

elseif(STEP STREQUAL "texts")
    list(LENGTH FILES count)
    set(code "// Generated from shaders/.\n#include <array>\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
    string(APPEND code "extern const std::array<std::string_view, ${count}> texts;\n")
    string(APPEND code "const std::array<std::string_view, ${count}> texts = {\n")
    foreach(name IN LISTS FILES)
        file(READ "${name}" text)
        # Compilers need not take literals of more than 65536 characters; a quarter is comments, most of them lines.
        string(REGEX REPLACE "\n *//[^!\n][^\n]*" "" text "\n${text}")
        string(REGEX REPLACE " *//[^!\n][^\n]*" "" text "${text}")
        string(LENGTH "${text}" length)
        if(length GREATER 65536)
            message(FATAL_ERROR "${name}: ${length} characters are more than a string literal may have")
        endif()
        string(APPEND code "R\"glsl(${text})glsl\",\n")
    endforeach()
    string(APPEND code "};\n}\n")
    file(WRITE "${OUTPUT}" "${code}")

elseif(STEP STREQUAL "words")
    set(code "")
    foreach(name IN LISTS FILES)
        cmake_path(GET name STEM stem)
        file(READ "${name}" bytes HEX)
        # Little-endian words, eight to a line.
        string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${bytes}")
        string(REGEX REPLACE "(...........,...........,...........,...........,)" "\\1\n" words "${words}")
        string(APPEND code "inline constexpr std::uint32_t ${stem}[] = {\n${words}\n};\n")
    endforeach()
    string(REPLACE "|" "\n" OPEN "${OPEN}")
    string(REPLACE "|" "\n" CLOSE "${CLOSE}")
    string(REPLACE "<end>" ";" CLOSE "${CLOSE}")
    file(WRITE "${OUTPUT}" "// Generated from shaders/.\n#pragma once\n#include <cstdint>\n\n${OPEN}\n${code}${CLOSE}\n")
endif()
