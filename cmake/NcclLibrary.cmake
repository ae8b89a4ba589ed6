# The library target upsweep::nccl. Its headers include nccl.h, so NCCL is the consumer's too.
file(GLOB upsweep_nccl_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/nccl/*.cpp" "${PROJECT_SOURCE_DIR}/src/nccl/*.cu")
file(GLOB upsweep_nccl_headers CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/include/upsweep/nccl/*.hpp" "${PROJECT_SOURCE_DIR}/include/upsweep/nccl/*.cuh")

add_library(upsweep-nccl STATIC ${upsweep_optional} ${upsweep_nccl_sources})
add_library(upsweep::nccl ALIAS upsweep-nccl)
upsweep_strict(upsweep-nccl)
target_sources(upsweep-nccl PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${upsweep_nccl_headers})
target_include_directories(upsweep-nccl PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
# An installed package finds NCCL again.
if(NOT UPSWEEP_NCCL_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(upsweep-nccl SYSTEM PUBLIC "$<BUILD_INTERFACE:${UPSWEEP_NCCL_INCLUDE_DIR}>")
endif()
target_link_libraries(upsweep-nccl PUBLIC upsweep::cuda "$<BUILD_INTERFACE:${UPSWEEP_NCCL_LIBRARY}>")
set_target_properties(upsweep-nccl PROPERTIES EXPORT_NAME nccl POSITION_INDEPENDENT_CODE ON)
