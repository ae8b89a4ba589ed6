# The library target upsweep::mpi. Its headers include mpi.h, so MPI is the consumer's too.
file(GLOB upsweep_mpi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/mpi/*.cpp")
file(GLOB upsweep_mpi_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/upsweep/mpi/*.hpp")

add_library(upsweep-mpi ${upsweep_optional} ${upsweep_mpi_sources})
add_library(upsweep::mpi ALIAS upsweep-mpi)
upsweep_strict(upsweep-mpi)
target_sources(upsweep-mpi PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${upsweep_mpi_headers})
target_include_directories(upsweep-mpi PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(upsweep-mpi PUBLIC upsweep::upsweep MPI::MPI_CXX)
set_target_properties(upsweep-mpi PROPERTIES
    EXPORT_NAME mpi POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
