# The library target upsweep::emulator, for tests of GPU kernels on the host and for `upsweep trace`.
file(GLOB upsweep_emulator_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/emulator/*.cpp")

set(upsweep_emulator_scope "")
if(NOT PROJECT_IS_TOP_LEVEL)
    set(upsweep_emulator_scope EXCLUDE_FROM_ALL)
endif()
add_library(upsweep-emulator ${upsweep_emulator_scope} ${upsweep_emulator_sources})
add_library(upsweep::emulator ALIAS upsweep-emulator)
upsweep_strict(upsweep-emulator)
upsweep_in_few_units(upsweep-emulator)
target_include_directories(upsweep-emulator PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(upsweep-emulator PUBLIC upsweep::upsweep PRIVATE Boost::context)
set_target_properties(upsweep-emulator PROPERTIES
    EXPORT_NAME emulator POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
