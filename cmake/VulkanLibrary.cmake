# The library target upsweep::vulkan.
include(Shaders)
upsweep_add_shader_library()

set(upsweep_spirv_header "${PROJECT_BINARY_DIR}/shaders/generated/spirv.hpp")
upsweep_embed_spirv("${upsweep_spirv_header}")
if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(upsweep-spirv-header DEPENDS "${upsweep_spirv_header}")
    add_dependencies(upsweep-made-headers upsweep-spirv-header)
endif()
file(GLOB upsweep_vulkan_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/vulkan/*.cpp")

add_library(upsweep-vulkan ${upsweep_optional} ${upsweep_vulkan_sources} "${upsweep_spirv_header}")
add_library(upsweep::vulkan ALIAS upsweep-vulkan)
upsweep_strict(upsweep-vulkan)
upsweep_in_few_units(upsweep-vulkan)
# gcc warns where a member's type is of the unnamed namespace of an included file.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/vulkan/standalone.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
file(GLOB upsweep_vulkan_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/upsweep/vulkan/*.hpp")
target_sources(upsweep-vulkan PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
                                     FILES ${upsweep_vulkan_headers})
target_include_directories(upsweep-vulkan PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src"
                                                  "${PROJECT_BINARY_DIR}/shaders")
# Vulkan's own headers are the consumer's too; they are a system directory unless the compiler looks there anyway.
if(NOT UPSWEEP_VULKAN_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(upsweep-vulkan SYSTEM PUBLIC "$<BUILD_INTERFACE:${UPSWEEP_VULKAN_INCLUDE_DIR}>")
endif()
target_link_libraries(upsweep-vulkan PUBLIC upsweep::upsweep PRIVATE upsweep::shader ${CMAKE_DL_LIBS})
set_target_properties(upsweep-vulkan PROPERTIES
    EXPORT_NAME vulkan POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
