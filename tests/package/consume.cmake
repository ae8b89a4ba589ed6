# cmake -DWAY= -DSOURCE= -DWORK= ... -P consume.cmake: configures, builds and runs the consumer, which finds
# Upsweep in the way named by WAY. Where that means to compile the library, it is for debugging and for one vector instruction set,
# which is quick.
file(REMOVE_RECURSE "${WORK}")
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
set(flags "")
if(SANITIZE)
    string(REPLACE ";" "," SANITIZE "${SANITIZE}")
    set(flags "-fsanitize=${SANITIZE}")
endif()
set(configuration Release)
set(one_level OFF)
if(WAY STREQUAL "add_subdirectory")
    set(configuration Debug)
    set(one_level ON)
endif()
execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=${configuration}
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_FLAGS=${flags}"
            "-DCMAKE_PREFIX_PATH=${PREFIX}" -DWAY=${WAY} "-DUPSWEEP_SOURCE=${UPSWEEP_SOURCE}"
            -DUPSWEEP_ONE_SIMD_LEVEL=${one_level} -DCMAKE_CXX_FLAGS_DEBUG=-g0
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}" --config ${configuration} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/consumer" COMMAND_ERROR_IS_FATAL ANY)
