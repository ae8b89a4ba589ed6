# OpenGL: headers of OpenGL and EGL. The library calls OpenGL through the caller's loader and opens libEGL at run time,
# for its off-screen helper alone; it links nothing.
find_path(UPSWEEP_GL_INCLUDE_DIR GL/glcorearb.h)
find_path(UPSWEEP_EGL_INCLUDE_DIR EGL/eglext.h)
mark_as_advanced(UPSWEEP_GL_INCLUDE_DIR UPSWEEP_EGL_INCLUDE_DIR)

set(missing "")
if(NOT UPSWEEP_GL_INCLUDE_DIR)
    list(APPEND missing "GL/glcorearb.h")
endif()
if(NOT UPSWEEP_EGL_INCLUDE_DIR)
    list(APPEND missing "EGL/eglext.h")
endif()

if(missing)
    list(JOIN missing ", " missing)
    set(note "missing ${missing}")
else()
    set(found TRUE)
    set(note "headers are there; OpenGL 4.3 or OpenGL ES 3.1 is found when it runs")
endif()
