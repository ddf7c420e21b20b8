// A sculpture's surface: every vertex is where the solvers left it.

layout(location = 0) in vec3 a_position; // m
layout(location = 1) in vec3 a_normal;   // unit
layout(location = 2) in float a_heat;    // 0 to 1: how many steps the vertex took

uniform mat4 u_view_projection;

out vec3 v_world;
out vec3 v_normal;
out float v_heat;

void main() {
    v_world = a_position;
    v_normal = a_normal;
    v_heat = a_heat;
    gl_Position = u_view_projection * vec4(a_position, 1.0);
}
