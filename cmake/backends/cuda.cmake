# CUDA: nvcc with a host compiler that it takes, and the static runtime. A GPU is found when it runs.
# The compiler is tried, not only looked for: it refuses host compilers that it does not know.
set(missing "")
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)  # of this function: no words within the table
find_package(CUDAToolkit 12.8 QUIET)
if(CUDAToolkit_FOUND)
    include(CheckLanguage)
    check_language(CUDA)
endif()
unset(CMAKE_MESSAGE_LOG_LEVEL)

if(CUDAToolkit_FOUND)
    if(NOT CMAKE_CUDA_COMPILER)
        set(missing "a working CUDA compiler (nvcc with ${CMAKE_CXX_COMPILER})")
    elseif(NOT TARGET CUDA::cudart_static)
        set(missing "the static CUDA runtime")
    endif()
elseif(CUDAToolkit_VERSION)
    set(missing "CUDA 12.8 or later; CUDA ${CUDAToolkit_VERSION} is too old")
else()
    set(missing "the CUDA toolkit (nvcc)")
endif()

if(missing)
    set(note "missing ${missing}")
else()
    set(found TRUE)
    set(note "CUDA ${CUDAToolkit_VERSION}; a GPU is found when it runs")
endif()
