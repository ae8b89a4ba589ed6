# The back ends and the one table that says which of them this build has.
#
# upsweep_backend(NAME TITLE) declares UPSWEEP_<NAME> = AUTO | ON | OFF. A back end exists in the source when
# cmake/backends/<name>.cmake does; that file sets `found` and `note` (what was found, or what is missing), and
# the target upsweep::<name> is made where `UPSWEEP_HAS_<NAME>` is true. `UPSWEEP_LACKS_<NAME>` is the note of a back end that
# AUTO did not find. ON for what cannot be had is an error, never a silent fallback; AUTO takes what is there.

message(STATUS "Upsweep ${PROJECT_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; back ends:")
message(STATUS "  name     wish    here")
message(STATUS "  cpu      always  yes: SIMD level chosen at run time, ${CMAKE_SYSTEM_PROCESSOR}")

function(upsweep_backend name title)
    string(TOLOWER ${name} stem)
    set(UPSWEEP_${name} AUTO CACHE STRING "${title} back end: AUTO, ON or OFF")
    set_property(CACHE UPSWEEP_${name} PROPERTY STRINGS AUTO ON OFF)

    string(TOUPPER "${UPSWEEP_${name}}" wish)
    if(NOT wish STREQUAL "AUTO")
        if(wish)
            set(wish ON)
        else()
            set(wish OFF)
        endif()
    endif()

    set(found FALSE)
    if(wish STREQUAL "OFF")
        set(note "off by request")
    elseif(EXISTS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/backends/${stem}.cmake")
        include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/backends/${stem}.cmake")
    else()
        set(note "not in this version")
    endif()
    if(wish STREQUAL "ON" AND NOT found)
        message(FATAL_ERROR "UPSWEEP_${name}=ON: the ${title} back end is ${note} (${PROJECT_VERSION}). "
                            "Configure with UPSWEEP_${name}=AUTO or OFF; the CPU back end is always there.")
    endif()

    set(answer no)
    if(found)
        set(answer yes)
    endif()
    string(LENGTH ${stem} stem_length)
    math(EXPR padding "9 - ${stem_length}")
    string(REPEAT " " ${padding} gap)
    string(LENGTH ${wish} wish_length)
    math(EXPR padding "8 - ${wish_length}")
    string(REPEAT " " ${padding} wish_gap)
    message(STATUS "  ${stem}${gap}${wish}${wish_gap}${answer}: ${note}")
    set(UPSWEEP_HAS_${name} ${found} PARENT_SCOPE)
    set(UPSWEEP_LACKS_${name} "" PARENT_SCOPE)
    if(wish STREQUAL "AUTO" AND NOT found)
        set(UPSWEEP_LACKS_${name} "${note}" PARENT_SCOPE)
    endif()
endfunction()

upsweep_backend(CUDA CUDA)
upsweep_backend(NCCL NCCL)
upsweep_backend(GL OpenGL)
upsweep_backend(VULKAN Vulkan)
upsweep_backend(MPI MPI)
upsweep_backend(EMULATOR emulator)
# No device, but found or not in the same way: the Python package, which has to be asked for.
set(UPSWEEP_PYTHON OFF CACHE STRING "Python package: AUTO, ON or OFF")
upsweep_backend(PYTHON Python)
# The part of it for arrays of JAX.
upsweep_backend(JAX JAX)
