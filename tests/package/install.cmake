# cmake -DBUILD= -DCONFIG= -DPREFIX= -DBINDIR= -P install.cmake: installs the build under an emptied prefix and
# runs the installed command-line tool, if there is one.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --config "${CONFIG}" --prefix "${PREFIX}"
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
if(EXISTS "${PREFIX}/${BINDIR}/upsweep")
    execute_process(COMMAND "${PREFIX}/${BINDIR}/upsweep" --version COMMAND_ERROR_IS_FATAL ANY)
endif()
