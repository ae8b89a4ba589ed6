# The library target upsweep::cuda, and the language that it and its users' kernels are compiled in.

# Code for the two generations that the scans know apart, and PTX for what comes after them. CMAKE_CUDA_ARCHITECTURES
# or the environment's CUDAARCHS names others.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
endif()
enable_language(CUDA)
find_package(CUDAToolkit 12.8 REQUIRED)

file(GLOB upsweep_cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cuda/*.cpp" "${PROJECT_SOURCE_DIR}/src/cuda/*.cu")
file(GLOB upsweep_cuda_headers CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/include/upsweep/cuda/*.hpp" "${PROJECT_SOURCE_DIR}/include/upsweep/cuda/*.cuh")

add_library(upsweep-cuda STATIC ${upsweep_optional} ${upsweep_cuda_sources})
add_library(upsweep::cuda ALIAS upsweep-cuda)
upsweep_strict(upsweep-cuda)
target_sources(upsweep-cuda PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${upsweep_cuda_headers})
target_include_directories(upsweep-cuda PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(upsweep-cuda PUBLIC upsweep::upsweep CUDA::cudart_static)

# CMake below 3.26 has no name for nvcc's C++20.
if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    target_compile_features(upsweep-cuda PUBLIC cuda_std_20)
else()
    target_compile_options(upsweep-cuda PUBLIC $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
endif()
# Operators are constexpr functions of the host that kernels call; -fmad=false is to the device what
# -ffp-contract=off is to the host, a part of the numeric contract.
target_compile_options(upsweep-cuda PUBLIC
    "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--extended-lambda;-fmad=false>")
set_target_properties(upsweep-cuda PROPERTIES EXPORT_NAME cuda POSITION_INDEPENDENT_CODE ON)
upsweep_cuda_in_few_units(upsweep-cuda)
