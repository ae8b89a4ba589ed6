# What compiles GLSL for Vulkan: glslc or glslangValidator, spirv-val, and spirv-opt if it is there, which strips names.
# UPSWEEP_SHADER_TOOLS_MISSING lists what is missing.
find_program(UPSWEEP_GLSLC glslc)
find_program(UPSWEEP_GLSLANG glslangValidator)
find_program(UPSWEEP_SPIRV_VAL spirv-val)
find_program(UPSWEEP_SPIRV_OPT spirv-opt)
mark_as_advanced(UPSWEEP_GLSLC UPSWEEP_GLSLANG UPSWEEP_SPIRV_VAL UPSWEEP_SPIRV_OPT)

set(upsweep_missing_tools "")
if(NOT UPSWEEP_GLSLC AND NOT UPSWEEP_GLSLANG)
    list(APPEND upsweep_missing_tools "glslc or glslangValidator")
endif()
if(NOT UPSWEEP_SPIRV_VAL)
    list(APPEND upsweep_missing_tools "spirv-val")
endif()
set(UPSWEEP_SHADER_TOOLS_MISSING "${upsweep_missing_tools}" CACHE INTERNAL "Tools for GLSL that were not found")
