// Text in pixels from the upper left corner.
layout(location = 0) uniform vec2 screen;  // pixels
layout(location = 1) uniform vec2 origin;
layout(location = 2) uniform float scale;
layout(location = 0) in vec2 corner;

void main() {
    vec2 at = (origin + scale * corner) / screen;
    gl_Position = vec4(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, 0.0, 1.0);
}
