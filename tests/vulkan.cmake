# The tests of the Vulkan back end: what they share, and the drivers and settings that each runs with.
#
# Each vulkan_*_test is one program. ctest runs it by its own name on the machine's first device, and again as
# <name>.<setting> for the settings below. Software drivers serve; a program without any device fails.

if(NOT TARGET upsweep-vulkan)
    return()
endif()
find_path(UPSWEEP_VOLK_INCLUDE_DIR volk.h REQUIRED)
mark_as_advanced(UPSWEEP_VOLK_INCLUDE_DIR)

file(GLOB vulkan_support_sources CONFIGURE_DEPENDS "support/vulkan_*.cpp")
add_library(test-support-vulkan STATIC ${vulkan_support_sources})
upsweep_strict(test-support-vulkan)
target_compile_definitions(test-support-vulkan PUBLIC VK_NO_PROTOTYPES)
if(NOT UPSWEEP_VOLK_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(test-support-vulkan SYSTEM PUBLIC "${UPSWEEP_VOLK_INCLUDE_DIR}")
endif()
target_link_libraries(test-support-vulkan PUBLIC test-support upsweep::vulkan ${CMAKE_DL_LIBS})

# SwiftShader, a second driver that shares no code with Mesa: Debian has it in chromium-common (`./dev test` unpacks it).
find_file(UPSWEEP_SWIFTSHADER_ICD vk_swiftshader_icd.json
          PATHS "${PROJECT_SOURCE_DIR}/build/swiftshader/usr/lib/chromium" /usr/lib/chromium NO_DEFAULT_PATH)
mark_as_advanced(UPSWEEP_SWIFTSHADER_ICD)

file(GLOB vulkan_test_sources CONFIGURE_DEPENDS "vulkan_*_test.cpp")
foreach(source IN LISTS vulkan_test_sources)
    cmake_path(GET source STEM stem)
    target_link_libraries(${stem} PRIVATE test-support-vulkan)
endforeach()

upsweep_vulkan_operator(vulkan_operator_test rotation SOURCE shaders/rotation.glsl WORDS 4 IDENTITY)
upsweep_vulkan_operator(vulkan_operator_test latest SOURCE shaders/latest.glsl WORDS 1 EXACT)
upsweep_vulkan_operator(vulkan_axis_test matrix_product_text SOURCE shaders/matrix_product.glsl WORDS 4)
upsweep_vulkan_operator(vulkan_segments_test matrix_product_text SOURCE shaders/matrix_product.glsl WORDS 4)
upsweep_vulkan_operator(vulkan_look_back_test matrix_product_text SOURCE shaders/matrix_product.glsl WORDS 4)
upsweep_vulkan_operator(vulkan_runs_test matrix_product_text SOURCE shaders/matrix_product.glsl WORDS 4)
upsweep_vulkan_items(vulkan_indirect_test particles SOURCE shaders/particles.glsl)
upsweep_vulkan_bins(vulkan_histogram_test residues SOURCE shaders/residues.glsl)
upsweep_vulkan_bins(vulkan_bins_test residues SOURCE shaders/residues.glsl)
upsweep_embed_shader(vulkan_indirect_test count SOURCE shaders/count.comp)

# upsweep_vulkan_setting(STEM NAME FILTER ENVIRONMENT...): STEM once more, in another setting and with less to do.
function(upsweep_vulkan_setting stem name filter)
    add_test(NAME ${stem}.${name}
             COMMAND ${stem} "--gtest_filter=${filter}" "--gtest_output=xml:${results}/${stem}.${name}.xml")
    set_tests_properties(${stem}.${name} PROPERTIES TIMEOUT 600
                         ENVIRONMENT "UPSWEEP_TEST_QUICK=1;${ARGN}")
endfunction()

# A sanitized build sees the host's code in the plain runs; the settings are about drivers.
if(NOT UPSWEEP_SANITIZE)
    # Subgroups of 4 and 16 lanes; the other tests have 8. Mesa's cache of shaders ignores the width, so it is off.
    set(by_subgroup "integer_scan.plus*:float_scan.minimum:reduce.integers")
    foreach(setting IN ITEMS "subgroups4 128" "subgroups16 512")
        separate_arguments(setting)
        list(GET setting 0 name)
        list(GET setting 1 width)
        set(lanes LP_NATIVE_VECTOR_WIDTH=${width} MESA_SHADER_CACHE_DISABLE=true)
        upsweep_vulkan_setting(vulkan_scan_test ${name} "${by_subgroup}" ${lanes})
        upsweep_vulkan_setting(vulkan_compact_test ${name} "*pattern*" ${lanes})
        upsweep_vulkan_setting(vulkan_indirect_test ${name} "*own" ${lanes})
    endforeach()
    # The CPU's tests once more in one pass, which is not what is chosen on these drivers.
    upsweep_vulkan_setting(vulkan_scan_test look_back "segmented*:struct*:float_scan.plus*:property*" UPSWEEP_TEST_LOOK_BACK=1)
    # Work groups one after the other, and more threads than processors.
    foreach(threads IN ITEMS 0 8)
        upsweep_vulkan_setting(vulkan_windows_test threads${threads} "*-*few_supers*" LP_NUM_THREADS=${threads})
        upsweep_vulkan_setting(vulkan_look_back_test threads${threads} "*-*callers" LP_NUM_THREADS=${threads})
        upsweep_vulkan_setting(vulkan_compact_test threads${threads} "*pattern*" LP_NUM_THREADS=${threads})
        upsweep_vulkan_setting(vulkan_indirect_test threads${threads} "*" LP_NUM_THREADS=${threads})
        upsweep_vulkan_setting(vulkan_sort_test threads${threads} "subgroups/*around_tiles" LP_NUM_THREADS=${threads})
        upsweep_vulkan_setting(vulkan_repeat_test threads${threads} "*gaps:*room" LP_NUM_THREADS=${threads})
    endforeach()
    foreach(stem IN ITEMS vulkan_histogram_test vulkan_bins_test)
        foreach(threads IN ITEMS 0 8)
            upsweep_vulkan_setting(${stem} threads${threads} "*several*:*neighbours*" LP_NUM_THREADS=${threads})
        endforeach()
        # The quarter or the whole of a million has nothing to say to the layers but takes them long.
        upsweep_vulkan_setting(${stem} validation_sync "*-*million*" UPSWEEP_TEST_VALIDATION=sync)
        # Without the users' bins: between pipelines of layouts with and without the users' set, the layer binds a set of its
        # own over theirs.
        upsweep_vulkan_setting(${stem} validation_gpu "*several*" UPSWEEP_TEST_VALIDATION=gpu)
    endforeach()
    # Validation: every message is a failure. Of synchronization it is beside that of the core.
    upsweep_vulkan_setting(vulkan_windows_test validation_sync "*-*few_supers*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_scan_test validation_sync "integer_scan.plus*:vulkan_scan.affine*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_blelloch_test validation_sync "*few_groups*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_compact_test validation_sync "*-*seventeen*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_indirect_test validation_sync "*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_sort_test validation_sync "*limits:*values*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_axis_test validation_core "*wrong*" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_axis_test validation_sync "*-*wrong*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_axis_test validation_gpu "*every_way" UPSWEEP_TEST_VALIDATION=gpu)
    upsweep_vulkan_setting(vulkan_segments_test validation_core "*wrong*" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_segments_test validation_sync "*-*wrong*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_segments_test validation_gpu "*callers" UPSWEEP_TEST_VALIDATION=gpu)
    upsweep_vulkan_setting(vulkan_runs_test validation_core "*wrong*:*function" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_runs_test validation_sync "*-*wrong*" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_runs_test validation_gpu "*callers" UPSWEEP_TEST_VALIDATION=gpu)
    upsweep_vulkan_setting(vulkan_repeat_test validation_core "*wrong*" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_repeat_test validation_sync "*function:*room:*length:*limits" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_repeat_test validation_gpu "*function:*length:*widths:*promised" UPSWEEP_TEST_VALIDATION=gpu)
    upsweep_vulkan_setting(vulkan_reduce_test validation_core "*wrong*" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_reduce_test validation_sync "*stages:*limits" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_operator_test validation_core "*identity" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_executor_test validation_core "*" UPSWEEP_TEST_VALIDATION=core)
    upsweep_vulkan_setting(vulkan_windows_test validation_gpu "*few_groups" UPSWEEP_TEST_VALIDATION=gpu)
    upsweep_vulkan_setting(vulkan_look_back_test validation_sync "*-*callers" UPSWEEP_TEST_VALIDATION=sync)
    upsweep_vulkan_setting(vulkan_look_back_test validation_gpu "*windows" UPSWEEP_TEST_VALIDATION=gpu)
    upsweep_vulkan_setting(vulkan_compact_test validation_gpu "*room*:*few_groups" UPSWEEP_TEST_VALIDATION=gpu)
    # Values of a word and of several, for which the driver compiles half of what values_of_any_width takes.
    upsweep_vulkan_setting(vulkan_sort_test validation_gpu "subgroups/*one_of*" UPSWEEP_TEST_VALIDATION=gpu)
    if(UPSWEEP_SWIFTSHADER_ICD)
        set(swiftshader "VK_ICD_FILENAMES=${UPSWEEP_SWIFTSHADER_ICD}" UPSWEEP_TEST_VULKAN_DEVICE=SwiftShader)
        # It takes some seconds to compile a stage, so of what has the same stages, one; along an axis two of the ways, and in
        # segments an operator of the callers; nor what is long and has no stage of its own. All of it runs on the other driver.
        upsweep_vulkan_setting(vulkan_scan_test swiftshader "vulkan_scan.affine*" ${swiftshader})
        upsweep_vulkan_setting(vulkan_look_back_test swiftshader "*totals_of*" ${swiftshader})
        upsweep_vulkan_setting(vulkan_axis_test swiftshader "*table" ${swiftshader})
        upsweep_vulkan_setting(vulkan_segments_test swiftshader "*callers" ${swiftshader})
        upsweep_vulkan_setting(vulkan_runs_test swiftshader "*callers" ${swiftshader})
        upsweep_vulkan_setting(vulkan_reduce_test swiftshader "*again" ${swiftshader})
        upsweep_vulkan_setting(vulkan_repeat_test swiftshader "*-*sizes*:*gaps*" ${swiftshader})
        upsweep_vulkan_setting(vulkan_compact_test swiftshader "*-*seventeen*" ${swiftshader})
        upsweep_vulkan_setting(vulkan_sort_test swiftshader "subgroups/*values*:subgroups/*one_of*" ${swiftshader})
        upsweep_vulkan_setting(vulkan_histogram_test swiftshader "*claims:*special*:*edges:*several*:*users" ${swiftshader})
        upsweep_vulkan_setting(vulkan_bins_test swiftshader "*claims:*special*:*several*:*users" ${swiftshader})
        upsweep_vulkan_setting(vulkan_blelloch_test swiftshader "*grouping" ${swiftshader})
        upsweep_vulkan_setting(vulkan_operator_test swiftshader "*identity" ${swiftshader})
    else()
        set(reason "SwiftShader is not in build/swiftshader, where `./dev test` puts it")
        if(EXISTS "${PROJECT_SOURCE_DIR}/build/swiftshader/missing.txt")
            file(STRINGS "${PROJECT_SOURCE_DIR}/build/swiftshader/missing.txt" reason LIMIT_COUNT 1)
        endif()
        upsweep_skipped_test(vulkan_swiftshader "${reason}")
    endif()
endif()
