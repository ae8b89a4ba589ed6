# Which of the vector instruction sets the CPU's kernels are compiled for. Plain C++ is there always.
#
# UPSWEEP_SIMD_LEVELS: empty for all of them, which a program picks from where it runs; or a list, for machines that are
# known; or `native` for the best one of this machine. The kernels of each are about a sixth of what the tool takes to compile.
set(UPSWEEP_SIMD_LEVELS "" CACHE STRING "Instruction sets of the CPU's kernels: a list of sse4, avx2, avx512, neon; or native; all if empty")

# upsweep_native_level(RESULT): the best one that the compiler sees on this machine, or portable.
function(upsweep_native_level result)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null
                    OUTPUT_VARIABLE macros RESULT_VARIABLE status ERROR_VARIABLE message)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "UPSWEEP_SIMD_LEVELS: the compiler cannot tell what `native` is here; expected a list of "
                            "sse4, avx2, avx512 and neon\n${message}")
    endif()
    set(level portable)
    # As supported_simd_levels() asks at run time.
    if(macros MATCHES "__AVX512F__" AND macros MATCHES "__AVX512BW__" AND macros MATCHES "__AVX512CD__"
       AND macros MATCHES "__AVX512DQ__" AND macros MATCHES "__AVX512VL__")
        set(level avx512)
    elseif(macros MATCHES "__AVX2__" AND macros MATCHES "__FMA__" AND macros MATCHES "__BMI2__")
        set(level avx2)
    elseif(macros MATCHES "__SSE4_2__")
        set(level sse4)
    elseif(macros MATCHES "__ARM_NEON")
        set(level neon)
    endif()
    set(${result} ${level} PARENT_SCOPE)
endfunction()

# upsweep_choose_levels(LIBRARY): tells its sources which ones to leave out.
function(upsweep_choose_levels library)
    set(levels ${UPSWEEP_SIMD_LEVELS})
    if(NOT levels)
        return()
    endif()
    if(levels STREQUAL "native")
        upsweep_native_level(levels)
    endif()
    # Their names, and Highway's for the same.
    set(names sse4 avx2 avx512 neon)
    set(targets HWY_SSE4 HWY_AVX2 HWY_AVX3 HWY_NEON)
    foreach(level IN LISTS levels)
        if(NOT level IN_LIST names AND NOT level STREQUAL "portable")
            message(FATAL_ERROR "UPSWEEP_SIMD_LEVELS: expected a list of sse4, avx2, avx512 and neon, or native alone, but "
                                "one is \"${level}\"")
        endif()
    endforeach()
    list(JOIN levels ", " shown)
    message(STATUS "Upsweep: kernels of the CPU for ${shown} alone")
    set(left_out "")
    foreach(level target IN ZIP_LISTS names targets)
        if(NOT level IN_LIST levels)
            list(APPEND left_out ${target})
        endif()
    endforeach()
    if(left_out)
        list(JOIN left_out "|" left_out)
        target_compile_definitions(${library} PRIVATE "UPSWEEP_LEFT_OUT=${left_out}")
    endif()
endfunction()
