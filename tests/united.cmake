# Tests of one back end in one program, in builds of few units: to begin with what a test includes takes the compiler a second,
# and to link its program a fifth of one, for each of ninety. CTest lists and runs them by the names of their sources
# as anywhere.
#
# A unit has several sources, each with its unnamed namespaces in a namespace of its own, so that their names
# do not meet. It is a copy, made again by CMake when a source changes; messages name the source's lines.

set(sources_in_a_unit 8)

# upsweep_write_united(UNIT SOURCE...)
function(upsweep_write_united unit)
    set(text "")
    foreach(source IN LISTS ARGN)
        cmake_path(GET source STEM stem)
        file(READ "${source}" lines)
        string(REPLACE "\nnamespace {\n" "\nnamespace { namespace in_${stem} {\n" lines "${lines}")
        string(REPLACE "\n}  // namespace\n" "\n}}\n" lines "${lines}")
        string(APPEND text "#line 1 \"${source}\"\n${lines}")
    endforeach()
    set(written "")
    if(EXISTS "${unit}")
        file(READ "${unit}" written)
    endif()
    if(NOT written STREQUAL text)
        file(WRITE "${unit}" "${text}")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()

# upsweep_add_united(PROGRAM SOURCE...): neighbours by name are often alike, so that they share a unit.
function(upsweep_add_united program)
    set(sources ${ARGN})
    set(units "")
    while(sources)
        list(LENGTH units number)
        list(SUBLIST sources 0 ${sources_in_a_unit} some)
        list(REMOVE_ITEM sources ${some})
        set(unit "${CMAKE_CURRENT_BINARY_DIR}/${program}_${number}.cpp")
        upsweep_write_united("${unit}" ${some})
        list(APPEND units "${unit}")
    endwhile()
    add_executable(${program} ${units})
endfunction()

# upsweep_suites_of(SOURCE ANSWER): a filter for the suites of a source, plain ones and those of types and parameters.
function(upsweep_suites_of source answer)
    file(STRINGS "${source}" lines REGEX "^(TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP)\\(")
    set(filters "")
    foreach(line IN LISTS lines)
        if(line MATCHES "\\(([a-z0-9_]+)")
            set(suite "${CMAKE_MATCH_1}")
            list(APPEND filters "${suite}.*" "${suite}/*" "*/${suite}.*" "*/${suite}/*")
        endif()
    endforeach()
    list(REMOVE_DUPLICATES filters)
    list(JOIN filters ":" filters)
    set(${answer} "${filters}" PARENT_SCOPE)
endfunction()
