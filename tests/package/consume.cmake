# cmake -DWAY= -DSOURCE= -DWORK= ... -P consume.cmake: configures, builds and runs the consumer, which finds
# Upsweep in the way named by WAY. Where that means to compile the library, it is in the way that is quickest.
file(REMOVE_RECURSE "${WORK}")
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
set(flags "")
if(SANITIZE)
    string(REPLACE ";" "," SANITIZE "${SANITIZE}")
    set(flags "-fsanitize=${SANITIZE}")
endif()
set(configuration Release)
set(quick "")
if(WAY STREQUAL "add_subdirectory")
    # With the flags of the build under test, whose objects ccache then gives.
    string(TOUPPER "${CONFIG}" upper)
    string(REPLACE ";" "\\;" ENGINE_FLAGS "${ENGINE_FLAGS}")
    string(REPLACE ";" "\\;" SIMD_LEVELS "${SIMD_LEVELS}")
    set(configuration "${CONFIG}")
    set(quick "-DCMAKE_CXX_FLAGS_${upper}=${CONFIG_FLAGS}" "-DUPSWEEP_SIMD_LEVELS=${SIMD_LEVELS}"
              "-DUPSWEEP_ENGINE_FLAGS=${ENGINE_FLAGS}"
              -DUPSWEEP_WARNINGS_AS_ERRORS=${WARNINGS_AS_ERRORS})
endif()
execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=${configuration}
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_FLAGS=${flags}"
            "-DCMAKE_PREFIX_PATH=${PREFIX}" -DWAY=${WAY} "-DUPSWEEP_SOURCE=${UPSWEEP_SOURCE}"
            ${quick}
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}" --config ${configuration} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/consumer" COMMAND_ERROR_IS_FATAL ANY)
