# The library target upsweep::gl.
include(Shaders)
upsweep_add_shader_library()

file(GLOB upsweep_gl_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/gl/*.cpp")
add_library(upsweep-gl ${upsweep_optional} ${upsweep_gl_sources})
add_library(upsweep::gl ALIAS upsweep-gl)
upsweep_strict(upsweep-gl)
upsweep_in_few_units(upsweep-gl)
target_include_directories(upsweep-gl PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
# The headers of OpenGL and EGL are the library's own affair; its public headers need none.
foreach(folder IN ITEMS "${UPSWEEP_GL_INCLUDE_DIR}" "${UPSWEEP_EGL_INCLUDE_DIR}")
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
        target_include_directories(upsweep-gl SYSTEM PRIVATE "${folder}")
    endif()
endforeach()
target_link_libraries(upsweep-gl PUBLIC upsweep::upsweep PRIVATE upsweep::shader ${CMAKE_DL_LIBS})
set_target_properties(upsweep-gl PROPERTIES
    EXPORT_NAME gl POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
