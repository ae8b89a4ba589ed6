# The Python package's part for arrays of JAX: the headers of XLA's foreign function interface, which jaxlib brings. Those of the
# jaxlib that the interpreter has are taken, unless UPSWEEP_JAX_INCLUDE_DIR names a folder, such as `jax.ffi.include_dir()`.
set(UPSWEEP_JAX_INCLUDE_DIR "" CACHE PATH "Folder of xla/ffi/api/ffi.h; empty: that of the jaxlib of Python")
set(folder "${UPSWEEP_JAX_INCLUDE_DIR}")
if(NOT folder AND UPSWEEP_HAS_PYTHON)
    # Without importing it, which takes longer than all else here.
    execute_process(COMMAND "${UPSWEEP_PYTHON_EXECUTABLE}" -c
                    "import importlib.util; print(importlib.util.find_spec('jaxlib').submodule_search_locations[0] + '/include')"
                    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT UPSWEEP_HAS_PYTHON)
    set(note "a part of the Python package, which is not built")
elseif(NOT folder)
    set(note "missing jaxlib (${UPSWEEP_PYTHON_EXECUTABLE} -m pip install jax) or UPSWEEP_JAX_INCLUDE_DIR")
elseif(NOT EXISTS "${folder}/xla/ffi/api/ffi.h")
    set(note "missing xla/ffi/api/ffi.h in ${folder}")
else()
    set(found TRUE)
    file(STRINGS "${folder}/xla/ffi/api/c_api.h" lines REGEX "define XLA_FFI_API_M(AJOR|INOR)")
    string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]*" ".\\1" version "${lines}")
    string(SUBSTRING "${version}" 1 -1 version)
    set(note "XLA's interface ${version}, ${folder}")
endif()
set(UPSWEEP_JAX_INCLUDE_DIR "${folder}" PARENT_SCOPE)
