layout(location = 3) uniform vec4 ink;
layout(location = 0) out vec4 color;

void main() { color = ink; }
