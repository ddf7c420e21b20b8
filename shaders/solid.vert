// Places a rounded solid: each vertex is a point of the solid's core plus its rounding radius along the normal, so
// that one mesh serves every size without distorting bevels or normals.

layout(location = 0) in vec3 a_core;   // corner or ring of the core, in units of its half sizes
layout(location = 1) in vec3 a_normal; // unit

uniform mat4 u_model;            // rigid: solid to world
uniform mat4 u_view_projection;
uniform vec3 u_core;             // m, half sizes of the core
uniform float u_rounding;        // m

invariant gl_Position; // the ghost's surface is drawn twice, and must meet itself
out vec3 v_world;
out vec3 v_normal;

void main() {
    vec4 world = u_model * vec4(a_core * u_core + a_normal * u_rounding, 1.0);
    v_world = world.xyz;
    v_normal = mat3(u_model) * a_normal;
    gl_Position = u_view_projection * world;
}
