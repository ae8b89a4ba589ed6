// The functions of OpenGL that the library calls, in a table filled through the caller's loader. All of them
// are in OpenGL 4.3 and in OpenGL ES 3.1.
#pragma once

#include <GL/glcorearb.h>

#include "upsweep/gl/loader.hpp"

// X(member, OpenGL's name without gl, the same in capitals)
#define UPSWEEP_GL_FUNCTIONS(X)                                             \
    X(attach_shader, AttachShader, ATTACHSHADER)                            \
    X(bind_buffer, BindBuffer, BINDBUFFER)                                  \
    X(bind_buffer_base, BindBufferBase, BINDBUFFERBASE)                     \
    X(bind_buffer_range, BindBufferRange, BINDBUFFERRANGE)                  \
    X(buffer_data, BufferData, BUFFERDATA)                                  \
    X(compile_shader, CompileShader, COMPILESHADER)                         \
    X(copy_buffer_sub_data, CopyBufferSubData, COPYBUFFERSUBDATA)           \
    X(create_program, CreateProgram, CREATEPROGRAM)                         \
    X(create_shader, CreateShader, CREATESHADER)                            \
    X(delete_buffers, DeleteBuffers, DELETEBUFFERS)                         \
    X(delete_program, DeleteProgram, DELETEPROGRAM)                         \
    X(delete_shader, DeleteShader, DELETESHADER)                            \
    X(detach_shader, DetachShader, DETACHSHADER)                            \
    X(dispatch_compute, DispatchCompute, DISPATCHCOMPUTE)                   \
    X(gen_buffers, GenBuffers, GENBUFFERS)                                  \
    X(get_buffer_parameter, GetBufferParameteri64v, GETBUFFERPARAMETERI64V) \
    X(get_integer, GetIntegerv, GETINTEGERV)                                \
    X(get_integer64, GetInteger64v, GETINTEGER64V)                          \
    X(get_indexed, GetIntegeri_v, GETINTEGERI_V)                            \
    X(get_indexed64, GetInteger64i_v, GETINTEGER64I_V)                      \
    X(get_program, GetProgramiv, GETPROGRAMIV)                              \
    X(get_program_log, GetProgramInfoLog, GETPROGRAMINFOLOG)                \
    X(get_shader, GetShaderiv, GETSHADERIV)                                 \
    X(get_shader_log, GetShaderInfoLog, GETSHADERINFOLOG)                   \
    X(get_string, GetString, GETSTRING)                                     \
    X(get_string_at, GetStringi, GETSTRINGI)                                \
    X(is_buffer, IsBuffer, ISBUFFER)                                        \
    X(link_program, LinkProgram, LINKPROGRAM)                               \
    X(map_buffer_range, MapBufferRange, MAPBUFFERRANGE)                     \
    X(memory_barrier, MemoryBarrier, MEMORYBARRIER)                         \
    X(program_uniforms, ProgramUniform1uiv, PROGRAMUNIFORM1UIV)             \
    X(shader_source, ShaderSource, SHADERSOURCE)                            \
    X(unmap_buffer, UnmapBuffer, UNMAPBUFFER)                               \
    X(use_program, UseProgram, USEPROGRAM)

namespace upsweep::gl {

struct functions {
#define UPSWEEP_GL_MEMBER(member, name, capitals) PFNGL##capitals##PROC member = nullptr;
    UPSWEEP_GL_FUNCTIONS(UPSWEEP_GL_MEMBER)
#undef UPSWEEP_GL_MEMBER
};

// Throws upsweep::error: invalid_argument, where `loader` is empty or does not find a function.
functions load_functions(const function_loader& loader);

}  // namespace upsweep::gl
