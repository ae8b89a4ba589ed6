# The GLSL stages: flattened, compiled to SPIR-V, checked, and embedded. Installed too, because a consumer's own GLSL is
# compiled with the stages:
#
#   upsweep_vulkan_operator(TARGET NAME SOURCE file.glsl WORDS 1|2|4 [IDENTITY] [EXACT] [NEUTRAL] [COMMUTATIVE])
#   upsweep_vulkan_items(TARGET NAME SOURCE file.glsl)
#   upsweep_vulkan_bins(TARGET NAME SOURCE file.glsl)
#
# give TARGET a header <name>.hpp with a constant <name>, an upsweep::vulkan::user_operator, user_items or user_bins.
# docs/shaders.md says what the GLSL defines.
include_guard(GLOBAL)

# The functions below may be called from any directory of a project, so what they need is not of one directory's scope.
# The installed package sets both folders before it includes this file.
if(NOT DEFINED UPSWEEP_SHADER_DIR)
    set(UPSWEEP_SHADER_DIR "${CMAKE_CURRENT_LIST_DIR}/../shaders")
    set(UPSWEEP_DEF_DIR "${CMAKE_CURRENT_LIST_DIR}/../include/upsweep")
endif()
cmake_path(NORMAL_PATH UPSWEEP_SHADER_DIR)
cmake_path(NORMAL_PATH UPSWEEP_DEF_DIR)
set(UPSWEEP_SHADER_SOURCES "${UPSWEEP_SHADER_DIR}" CACHE INTERNAL "For cmake/Shaders.cmake")
set(UPSWEEP_SHADER_FOLDERS "${UPSWEEP_SHADER_DIR}|${UPSWEEP_DEF_DIR}|${UPSWEEP_DEF_DIR}/core" CACHE INTERNAL "Likewise")
set(UPSWEEP_SHADER_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/ShaderScript.cmake" CACHE INTERNAL "Likewise")
file(GLOB upsweep_shader_files CONFIGURE_DEPENDS "${UPSWEEP_SHADER_DIR}/*.comp" "${UPSWEEP_SHADER_DIR}/*.glsl")
set(UPSWEEP_SHADER_FILES ${upsweep_shader_files} "${UPSWEEP_DEF_DIR}/operators.def" "${UPSWEEP_DEF_DIR}/core/levels.def"
    "${UPSWEEP_SHADER_SCRIPT}" CACHE INTERNAL "Likewise")
set(UPSWEEP_SUBGROUP_LINES "#define UPSWEEP_SUBGROUPS|#extension GL_KHR_shader_subgroup_basic : require\
|#extension GL_KHR_shader_subgroup_ballot : require|#extension GL_KHR_shader_subgroup_shuffle : require\
|#extension GL_KHR_shader_subgroup_shuffle_relative : require" CACHE INTERNAL "Likewise")

# In the order of shader::stage.
set(UPSWEEP_STAGES tile_totals super_totals super_prefixes tile_scan blelloch_scan blelloch_add vote compact sort_count
    sort_move sort_gather probe lane_scan axis_shape mark_heads mark_offsets clear_counts count_bins
    bins_count bins_move bins_number bins_offsets segment_totals fill_empty run_lengths look_back_scan look_back_totals
    repeat segment_sort segment_merge select_count select_vote select_rows)
# Those of scans along an axis that depend on the operator.
set(UPSWEEP_AXIS_STAGES tile_totals super_totals super_prefixes tile_scan lane_scan CACHE INTERNAL "For the functions below")
# And those of scans of segments.
set(UPSWEEP_SEGMENT_STAGES tile_totals super_totals super_prefixes tile_scan look_back_scan segment_totals look_back_totals
    fill_empty CACHE INTERNAL "Likewise")

# upsweep_compile_stages(LIST_OF_MODULES FOLDER SUFFIX HEADER STAGES [USER]): FOLDER/<stage><SUFFIX>.spv of each of a list of
# stages, appended to the list of that name. HEADER is lines separated by `|`.
#
# The compiler's optimiser is left alone: it would inline every call, which makes a module four times as large, and a
# driver does it again anyway. Names are stripped.
function(upsweep_compile_stages list_of_modules folder suffix header stages)
    if(UPSWEEP_SHADER_TOOLS_MISSING)
        message(FATAL_ERROR "Upsweep: shaders for Vulkan cannot be compiled without ${UPSWEEP_SHADER_TOOLS_MISSING}")
    endif()
    set(user "")
    if(ARGC GREATER 5)
        set(user "${ARGV5}")
    endif()
    set(made ${stages})
    list(TRANSFORM made REPLACE "(.+)" "${folder}/\\1${suffix}.spv")
    add_custom_command(
        OUTPUT ${made}
        COMMAND "${CMAKE_COMMAND}" -D STEP=modules -D "STAGES=${stages}" -D "SOURCES=${UPSWEEP_SHADER_SOURCES}"
                -D "OUTPUT=${folder}/<stage>${suffix}" -D EXTENSION=.comp -D "FOLDERS=${UPSWEEP_SHADER_FOLDERS}"
                -D "HEADER=#version 450|${header}" -D "USER=${user}" -D "GLSLC=${UPSWEEP_GLSLC}"
                -D "GLSLANG=${UPSWEEP_GLSLANG}" -D "SPIRV_OPT=${UPSWEEP_SPIRV_OPT}" -D "SPIRV_VAL=${UPSWEEP_SPIRV_VAL}"
                -P "${UPSWEEP_SHADER_SCRIPT}"
        DEPENDS ${UPSWEEP_SHADER_FILES} ${user}
        COMMENT "SPIR-V ${folder}/*${suffix}.spv" VERBATIM)
    set(${list_of_modules} ${${list_of_modules}} ${made} PARENT_SCOPE)
endfunction()

# The variants of the built-in operators, and the lines that make each.
set(UPSWEEP_HEADER_one_word "#define UPSWEEP_ELEMENT_WORDS 1")
set(UPSWEEP_HEADER_two_words "#define UPSWEEP_ELEMENT_WORDS 2")
set(UPSWEEP_HEADER_doubles "#define UPSWEEP_ELEMENT_WORDS 2|#define UPSWEEP_DOUBLE")
set(UPSWEEP_HEADER_one_word_axis "${UPSWEEP_HEADER_one_word}|#define UPSWEEP_AXIS")
set(UPSWEEP_HEADER_two_words_axis "${UPSWEEP_HEADER_two_words}|#define UPSWEEP_AXIS")
set(UPSWEEP_HEADER_doubles_axis "${UPSWEEP_HEADER_doubles}|#define UPSWEEP_AXIS")
set(UPSWEEP_HEADER_one_word_segments "${UPSWEEP_HEADER_one_word}|#define UPSWEEP_SEGMENTS")
set(UPSWEEP_HEADER_two_words_segments "${UPSWEEP_HEADER_two_words}|#define UPSWEEP_SEGMENTS")
set(UPSWEEP_HEADER_doubles_segments "${UPSWEEP_HEADER_doubles}|#define UPSWEEP_SEGMENTS")
set(UPSWEEP_HEADER_one_word_subgroups "${UPSWEEP_HEADER_one_word}|${UPSWEEP_SUBGROUP_LINES}")
set(UPSWEEP_HEADER_two_words_subgroups "${UPSWEEP_HEADER_two_words}|${UPSWEEP_SUBGROUP_LINES}")

# upsweep_embed_spirv(OUTPUT): a header with all modules, <stage>_<variant>.
function(upsweep_embed_spirv output)
    set(folder "${PROJECT_BINARY_DIR}/shaders")
    set(modules "")
    foreach(variant one_word two_words doubles one_word_axis two_words_axis doubles_axis
                    one_word_segments two_words_segments doubles_segments one_word_subgroups two_words_subgroups)
        set(stages ${UPSWEEP_STAGES})
        list(REMOVE_ITEM stages lane_scan segment_totals fill_empty look_back_totals)
        if(variant MATCHES "axis")
            set(stages ${UPSWEEP_AXIS_STAGES})
        elseif(variant MATCHES "segments")
            set(stages ${UPSWEEP_SEGMENT_STAGES})
        elseif(variant MATCHES "subgroups")
            set(stages tile_totals tile_scan)
        endif()
        if(variant STREQUAL "one_word_subgroups")
            list(APPEND stages vote)
        elseif(NOT variant STREQUAL "one_word")
            list(REMOVE_ITEM stages vote compact sort_gather axis_shape mark_heads mark_offsets clear_counts
                 bins_offsets run_lengths repeat)
        endif()
        if(variant STREQUAL "doubles")
            # Which compute with no double.
            list(REMOVE_ITEM stages sort_count sort_move count_bins bins_count bins_move bins_number segment_sort
                 segment_merge select_count select_vote select_rows)
        endif()
        upsweep_compile_stages(modules "${folder}" "_${variant}" "${UPSWEEP_HEADER_${variant}}" "${stages}")
    endforeach()
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" -D STEP=words -D "FILES=${modules}" -D "OUTPUT=${output}"
                -D "OPEN=namespace upsweep::vulkan::generated {" -D "CLOSE=}" -P "${UPSWEEP_SHADER_SCRIPT}"
        DEPENDS ${modules} "${UPSWEEP_SHADER_SCRIPT}" COMMENT "SPIR-V of all stages" VERBATIM)
endfunction()

# upsweep_embed_texts(OUTPUT): the flattened stages as C++.
function(upsweep_embed_texts output)
    set(folder "${PROJECT_BINARY_DIR}/shaders/text")
    set(texts ${UPSWEEP_STAGES})
    list(TRANSFORM texts REPLACE "(.+)" "${folder}/\\1.glsl")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" -D STEP=flatten -D "STAGES=${UPSWEEP_STAGES}" -D "SOURCES=${UPSWEEP_SHADER_SOURCES}"
                -D "OUTPUT=${folder}/<stage>" -D EXTENSION=.glsl -D "FOLDERS=${UPSWEEP_SHADER_FOLDERS}"
                -P "${UPSWEEP_SHADER_SCRIPT}"
        COMMAND "${CMAKE_COMMAND}" -D STEP=texts -D "FILES=${texts}" -D "OUTPUT=${output}"
                -D "NAMESPACE=upsweep::shader::generated" -P "${UPSWEEP_SHADER_SCRIPT}"
        DEPENDS ${UPSWEEP_SHADER_FILES} COMMENT "GLSL of all stages" VERBATIM)
endfunction()

# upsweep_add_shader_library(): the target upsweep::shader, what the OpenGL and the Vulkan library share.
function(upsweep_add_shader_library)
    if(TARGET upsweep-shader)
        return()
    endif()
    upsweep_embed_texts("${PROJECT_BINARY_DIR}/shaders/texts.cpp")
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/shader/*.cpp")
    add_library(upsweep-shader ${upsweep_optional} ${sources} "${PROJECT_BINARY_DIR}/shaders/texts.cpp")
    add_library(upsweep::shader ALIAS upsweep-shader)
    upsweep_strict(upsweep-shader)
    upsweep_in_few_units(upsweep-shader)
    target_include_directories(upsweep-shader PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(upsweep-shader PUBLIC upsweep::upsweep)
    set_target_properties(upsweep-shader PROPERTIES
        EXPORT_NAME shader POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# upsweep_embed_user(TARGET NAME TYPE CODE MODULES...): a header <NAME>.hpp in TARGET's include path with the modules and
# `inline constexpr TYPE NAME = CODE;`.
function(upsweep_embed_user target name type code)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders")
    set(header "${folder}/${name}.hpp")
    set(open "#include <upsweep/vulkan/compact.hpp>|#include <upsweep/vulkan/bins.hpp>|#include <upsweep/vulkan/scan.hpp>||\
namespace ${name}_modules {")
    set(close "}||inline constexpr ${type} ${name}${code}<end>")
    add_custom_command(
        OUTPUT "${header}"
        COMMAND "${CMAKE_COMMAND}" -D STEP=words -D "FILES=${ARGN}" -D "OUTPUT=${header}" -D "OPEN=${open}"
                -D "CLOSE=${close}" -P "${UPSWEEP_SHADER_SCRIPT}"
        DEPENDS ${ARGN} "${UPSWEEP_SHADER_SCRIPT}" COMMENT "SPIR-V of ${name}" VERBATIM)
    target_sources(${target} PRIVATE "${header}")
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# upsweep_members(RESULT NAME SUFFIX STAGES): C++ that lists what upsweep_embed_user makes of the stages' modules.
function(upsweep_members result name suffix stages)
    list(TRANSFORM stages REPLACE "(.+)" "${name}_modules::\\1${suffix}")
    list(JOIN stages ", " members)
    set(${result} "${members}" PARENT_SCOPE)
endfunction()

function(upsweep_vulkan_operator target name)
    cmake_parse_arguments(PARSE_ARGV 2 given "IDENTITY;EXACT;NEUTRAL;COMMUTATIVE" "SOURCE;WORDS" "")
    if(NOT given_WORDS MATCHES "^[124]$")
        message(FATAL_ERROR "upsweep_vulkan_operator(${target} ${name}): WORDS must be 1, 2 or 4")
    endif()
    cmake_path(ABSOLUTE_PATH given_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE source)
    set(traits 0)
    foreach(trait IN ITEMS EXACT:1 NEUTRAL:2 COMMUTATIVE:4)
        string(REGEX MATCH "^([A-Z]+):(.)$" trait "${trait}")
        if(given_${CMAKE_MATCH_1})
            math(EXPR traits "${traits} + ${CMAKE_MATCH_2}")
        endif()
    endforeach()
    set(lines "#define UPSWEEP_USER_OPERATOR|#define UPSWEEP_ELEMENT_WORDS ${given_WORDS}|#define UPSWEEP_TRAITS ${traits}u")
    set(stages tile_totals super_totals super_prefixes tile_scan look_back_scan)
    if(given_IDENTITY)
        string(APPEND lines "|#define UPSWEEP_IDENTITY")
        list(APPEND stages blelloch_scan blelloch_add)
    endif()

    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders/${name}")
    set(modules "")
    upsweep_compile_stages(modules "${folder}" "" "${lines}" "${stages}" "${source}")
    upsweep_compile_stages(modules "${folder}" _axis "${lines}|#define UPSWEEP_AXIS" "${UPSWEEP_AXIS_STAGES}" "${source}")
    upsweep_compile_stages(modules "${folder}" _segments "${lines}|#define UPSWEEP_SEGMENTS" "${UPSWEEP_SEGMENT_STAGES}"
                           "${source}")
    upsweep_members(members ${name} "" "${stages}")
    upsweep_members(axis_members ${name} _axis "${UPSWEEP_AXIS_STAGES}")
    upsweep_members(segment_members ${name} _segments "${UPSWEEP_SEGMENT_STAGES}")
    foreach(flag IN ITEMS EXACT NEUTRAL COMMUTATIVE IDENTITY)
        if(given_${flag})
            set(${flag} true)
        else()
            set(${flag} false)
        endif()
    endforeach()
    set(promises "${EXACT}, ${NEUTRAL}, ${COMMUTATIVE}, ${IDENTITY}")
    upsweep_embed_user(${target} ${name} upsweep::vulkan::user_operator
                       "{${given_WORDS}, ${promises}, {${members}}, {${axis_members}}, {${segment_members}}}" ${modules})
endfunction()

function(upsweep_vulkan_items target name)
    cmake_parse_arguments(PARSE_ARGV 2 given "" "SOURCE" "")
    cmake_path(ABSOLUTE_PATH given_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE source)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders/${name}")
    set(lines "#define UPSWEEP_USER_ITEMS")
    set(modules "")
    upsweep_compile_stages(modules "${folder}" "" "${lines}" "vote;compact" "${source}")
    upsweep_compile_stages(modules "${folder}" _subgroups "${lines}|${UPSWEEP_SUBGROUP_LINES}" vote "${source}")
    upsweep_embed_user(${target} ${name} upsweep::vulkan::user_items
                       "{${name}_modules::vote, ${name}_modules::vote_subgroups, ${name}_modules::compact}" ${modules})
endfunction()

function(upsweep_vulkan_bins target name)
    cmake_parse_arguments(PARSE_ARGV 2 given "" "SOURCE" "")
    cmake_path(ABSOLUTE_PATH given_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE source)
    set(stages count_bins bins_count bins_move bins_number)
    set(modules "")
    upsweep_compile_stages(modules "${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders/${name}" ""
                           "#define UPSWEEP_USER_BINS|#define UPSWEEP_ELEMENT_WORDS 1" "${stages}" "${source}")
    upsweep_members(members ${name} "" "${stages}")
    upsweep_embed_user(${target} ${name} upsweep::vulkan::user_bins "{${members}}" ${modules})
endfunction()

# upsweep_embed_shader(TARGET NAME SOURCE file.comp): a shader that has nothing to do with the stages, as
# <NAME>_modules::<NAME> in <NAME>.hpp.
function(upsweep_embed_shader target name)
    cmake_parse_arguments(PARSE_ARGV 2 given "" "SOURCE" "")
    cmake_path(ABSOLUTE_PATH given_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE source)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders")
    set(module "${folder}/${name}.spv")
    if(UPSWEEP_GLSLC)
        set(compile "${UPSWEEP_GLSLC}" --target-env=vulkan1.1 "${source}" -o "${module}")
    else()
        set(compile "${UPSWEEP_GLSLANG}" -V --target-env vulkan1.1 --quiet "${source}" -o "${module}")
    endif()
    add_custom_command(
        OUTPUT "${folder}/${name}.hpp"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
        COMMAND ${compile}
        COMMAND "${CMAKE_COMMAND}" -D STEP=words -D "FILES=${module}" -D "OUTPUT=${folder}/${name}.hpp"
                -D "OPEN=namespace ${name}_modules {" -D "CLOSE=}" -P "${UPSWEEP_SHADER_SCRIPT}"
        DEPENDS "${source}" "${UPSWEEP_SHADER_SCRIPT}" VERBATIM)
    target_sources(${target} PRIVATE "${folder}/${name}.hpp")
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()
