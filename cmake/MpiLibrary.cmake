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

# upsweep_mpi_test(NAME RANKS TARGET ARGUMENT...): a test that runs a program by so many ranks of this machine, however few
# processors that has. What Open MPI has to be told, and others leave alone: to run as root, as in a container; to run more
# ranks than there are processors, which then give way while they wait; not to tie ranks to processors; to copy through
# shared memory, because containers seldom let one process read from another. CTest leaves ranks two processors, and a single
# rank one.
function(upsweep_mpi_test name ranks target)
    add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
                                  $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${ARGN})
    set(processors 2)
    if(ranks EQUAL 1)
        set(processors 1)
    endif()
    set_tests_properties(${name} PROPERTIES PROCESSORS ${processors} ENVIRONMENT
        "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;\
OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_hwloc_base_binding_policy=none;OMPI_MCA_btl_vader_single_copy_mechanism=none;\
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe")
endfunction()
