# The registry's parts for back ends beside the CPU: scans of run-time types, for the command-line tool and the tests; and
# for the emulator, traces.
# Each is a library of its own, made of src/registry/<name>/, and upsweep-back-ends adds those that this build has.
# Nothing of it is installed.

# upsweep_registry_part(NAME): the library upsweep-<name>-registry, which defines registry::add_<name>().
function(upsweep_registry_part name)
    if(NOT TARGET upsweep::${name})
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/src/registry/${name}/*.cpp" "${PROJECT_SOURCE_DIR}/src/registry/${name}/*.cu")
    set(target upsweep-${name}-registry)
    add_library(${target} STATIC ${sources})
    upsweep_strict(${target})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PUBLIC upsweep::${name})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set(upsweep_registry_parts ${upsweep_registry_parts} ${name} PARENT_SCOPE)
endfunction()

set(upsweep_registry_parts "")
upsweep_registry_part(cuda)
if(TARGET upsweep-cuda-registry)
    if(UPSWEEP_CUDA_FEW_TYPES)
        target_compile_definitions(upsweep-cuda-registry PRIVATE UPSWEEP_CUDA_FEW_TYPES)
    endif()
    upsweep_cuda_in_few_units(upsweep-cuda-registry registry/cuda/scans-impl.cuh registry/cuda/segments-impl.cuh
                              registry/cuda/sums-impl.cuh registry/cuda/totals-impl.cuh registry/cuda/reductions-impl.cuh)
endif()
upsweep_registry_part(gl)
upsweep_registry_part(vulkan)
set(upsweep_registry_devices ${upsweep_registry_parts})
# Not a device: it traces.
upsweep_registry_part(emulator)
if(TARGET upsweep-emulator-registry)
    upsweep_in_few_units(upsweep-emulator-registry)
endif()

# What OpenGL and Vulkan have in common.
if(TARGET upsweep-gl-registry OR TARGET upsweep-vulkan-registry)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/registry/shader/*.cpp")
    add_library(upsweep-shader-registry STATIC ${sources})
    upsweep_strict(upsweep-shader-registry)
    target_include_directories(upsweep-shader-registry PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(upsweep-shader-registry PUBLIC upsweep::upsweep)
    foreach(name IN ITEMS gl vulkan)
        if(TARGET upsweep-${name}-registry)
            target_link_libraries(upsweep-${name}-registry PUBLIC upsweep-shader-registry)
        endif()
    endforeach()
endif()
if(TARGET upsweep-gl-registry AND NOT UPSWEEP_GL_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(upsweep-gl-registry SYSTEM PRIVATE "${UPSWEEP_GL_INCLUDE_DIR}")
endif()

set(declarations "")
set(calls "")
foreach(name IN LISTS upsweep_registry_parts)
    string(APPEND declarations "void add_${name}();\n")
    string(APPEND calls "    add_${name}();\n")
endforeach()
set(upsweep_back_ends_source "${PROJECT_BINARY_DIR}/registry/back_ends.cpp")
file(CONFIGURE OUTPUT "${upsweep_back_ends_source}" @ONLY CONTENT
     "// The back ends of this build, from cmake/Registry.cmake.
#include \"registry/back_end.hpp\"

namespace upsweep::registry {
@declarations@
void add_back_ends() {
@calls@}
}  // namespace upsweep::registry
")
add_library(upsweep-back-ends STATIC "${upsweep_back_ends_source}")
upsweep_strict(upsweep-back-ends)
target_include_directories(upsweep-back-ends PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(upsweep-back-ends PUBLIC upsweep::upsweep)
foreach(name IN LISTS upsweep_registry_parts)
    target_link_libraries(upsweep-back-ends PUBLIC upsweep-${name}-registry)
endforeach()
