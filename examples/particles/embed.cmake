# Writes a C++ header in which every shader of a folder is a string. A line `#include "FILE"` is replaced by the file.
#
#   cmake -D FOLDER=shaders -D OUTPUT=particle_shaders.hpp -P embed.cmake
function(read_shader path answer)
    file(READ "${path}" text)
    cmake_path(GET path PARENT_PATH folder)
    while(text MATCHES "(^|\n)#include \"([^\"\n]+)\"\n")
        set(line "#include \"${CMAKE_MATCH_2}\"\n")
        file(READ "${folder}/${CMAKE_MATCH_2}" part)
        string(REPLACE "${line}" "${part}" text "${text}")
    endwhile()
    set(${answer} "${text}" PARENT_SCOPE)
endfunction()

set(header "// Made by embed.cmake.\n#pragma once\n\n#include <string_view>\n\nnamespace particles::shaders {\n\n")
file(GLOB shaders "${FOLDER}/*.vert" "${FOLDER}/*.frag" "${FOLDER}/*.comp")
foreach(path IN LISTS shaders)
    cmake_path(GET path FILENAME name)
    string(REPLACE "." "_" name "${name}")
    read_shader("${path}" text)
    string(APPEND header "inline constexpr std::string_view ${name} = R\"glsl(${text})glsl\";\n\n")
endforeach()
string(APPEND header "}  // namespace particles::shaders\n")
file(WRITE "${OUTPUT}" "${header}")
