# The Python package: an interpreter of 3.9 or later with its headers, and nanobind, which is a Python package itself.
# The virtual environment of ./dev goes before other interpreters, unless one is named or active.
if(NOT Python_EXECUTABLE AND NOT Python_ROOT_DIR AND NOT DEFINED ENV{VIRTUAL_ENV} AND
   EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
    set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)  # of this function: no words within the table
find_package(Python 3.9 QUIET COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
unset(CMAKE_MESSAGE_LOG_LEVEL)

set(UPSWEEP_NANOBIND_DIR "")
if(NOT Python_Interpreter_FOUND)
    set(note "missing Python 3.9 or later")
elseif(NOT Python_Development.Module_FOUND)
    set(note "missing the headers of Python ${Python_VERSION} (Debian: python3-dev)")
else()
    execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_VARIABLE UPSWEEP_NANOBIND_DIR
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(UPSWEEP_NANOBIND_DIR)
        set(found TRUE)
        set(note "Python ${Python_VERSION}, ${Python_EXECUTABLE}")
    else()
        set(note "missing nanobind (${Python_EXECUTABLE} -m pip install nanobind)")
    endif()
endif()
set(UPSWEEP_PYTHON_EXECUTABLE "${Python_EXECUTABLE}" PARENT_SCOPE)
set(UPSWEEP_NANOBIND_DIR "${UPSWEEP_NANOBIND_DIR}" PARENT_SCOPE)
