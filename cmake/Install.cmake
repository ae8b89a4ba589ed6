# Installation: library, headers, command-line tool, man pages, CMake package and pkg-config file. All paths in
# the package files are relative to the files themselves, so the tree may be moved.
include(CMakePackageConfigHelpers)

set(upsweep_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/upsweep")
get_target_property(upsweep_type upsweep TYPE)

install(TARGETS upsweep EXPORT upsweepTargets FILE_SET HEADERS)
install(EXPORT upsweepTargets NAMESPACE upsweep:: DESTINATION "${upsweep_cmake_dir}")

# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/upsweepConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
set(upsweep_shader_dir "${CMAKE_INSTALL_DATADIR}/upsweep/shaders")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/upsweepConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/upsweepConfig.cmake" INSTALL_DESTINATION "${upsweep_cmake_dir}"
                              PATH_VARS upsweep_shader_dir CMAKE_INSTALL_INCLUDEDIR)
install(FILES "${PROJECT_BINARY_DIR}/upsweepConfig.cmake" "${PROJECT_BINARY_DIR}/upsweepConfigVersion.cmake"
        DESTINATION "${upsweep_cmake_dir}")

# The libraries for OpenGL and Vulkan, and what they share, ask for no package and so are exported with the first one.
foreach(upsweep_part IN ITEMS shader gl)
    if(TARGET upsweep-${upsweep_part})
        install(TARGETS upsweep-${upsweep_part} EXPORT upsweepTargets)
    endif()
endforeach()

# A consumer's own operators for Vulkan are compiled together with the stages.
if(TARGET upsweep-vulkan)
    install(TARGETS upsweep-vulkan EXPORT upsweepTargets FILE_SET HEADERS)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/shaders/" DESTINATION "${upsweep_shader_dir}"
            FILES_MATCHING PATTERN "*.comp" PATTERN "*.glsl")
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/Shaders.cmake" "${PROJECT_SOURCE_DIR}/cmake/ShaderScript.cmake"
                  "${PROJECT_SOURCE_DIR}/cmake/ShaderTools.cmake" DESTINATION "${upsweep_cmake_dir}")
endif()

# The emulator is exported by itself: who does not ask for it needs no Boost.
if(TARGET upsweep-emulator)
    install(TARGETS upsweep-emulator EXPORT upsweepEmulatorTargets)
    install(EXPORT upsweepEmulatorTargets NAMESPACE upsweep:: DESTINATION "${upsweep_cmake_dir}")
endif()

# So is CUDA: who does not ask for it needs no toolkit. Its headers are installed with it.
if(TARGET upsweep-cuda)
    install(TARGETS upsweep-cuda EXPORT upsweepCudaTargets FILE_SET HEADERS)
    install(EXPORT upsweepCudaTargets NAMESPACE upsweep:: DESTINATION "${upsweep_cmake_dir}")
endif()

# NCCL needs both.
if(TARGET upsweep-nccl)
    install(TARGETS upsweep-nccl EXPORT upsweepNcclTargets FILE_SET HEADERS)
    install(EXPORT upsweepNcclTargets NAMESPACE upsweep:: DESTINATION "${upsweep_cmake_dir}")
endif()

# And MPI.
if(TARGET upsweep-mpi)
    install(TARGETS upsweep-mpi EXPORT upsweepMpiTargets FILE_SET HEADERS)
    install(EXPORT upsweepMpiTargets NAMESPACE upsweep:: DESTINATION "${upsweep_cmake_dir}")
endif()

# A static library hands its own dependencies to every consumer's link line; a shared one only to a static link.
set(upsweep_pc_libs "-pthread")
set(upsweep_pc_libs_private "-pthread")
if(upsweep_type STREQUAL "STATIC_LIBRARY")
    set(upsweep_pc_libs "-pthread")
    set(upsweep_pc_libs_private "")
endif()
file(RELATIVE_PATH upsweep_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/upsweep.pc.in" "${PROJECT_BINARY_DIR}/upsweep.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/upsweep.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(TARGET upsweep-cli)
    file(RELATIVE_PATH upsweep_rpath "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(upsweep-cli PROPERTIES INSTALL_RPATH "$ORIGIN/${upsweep_rpath}")
    install(TARGETS upsweep-cli)
    if(upsweep_man_pages)  # set in cli/
        install(FILES ${upsweep_man_pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    endif()
endif()
