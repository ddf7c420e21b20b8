// The ground in two parts: a rectangle on which shadows may fall, and a frame around it out to where the ground ends.

uniform mat4 u_view_projection;
uniform bool u_frame;          // draw the frame: ten vertices of a strip; otherwise the rectangle: four
uniform vec3 u_centre;         // m, of the frame, on the ground
uniform float u_extent;        // m, half side of the frame
uniform vec3 u_shadow_centre;  // m, of the rectangle, on the ground
uniform vec2 u_shadow_extent;  // m, half sides of the rectangle along x and z

out vec3 v_world;

// Corners in the order of a strip, and going around.
vec2 strip_corner(int i) { return vec2(i & 1, i >> 1) * 2.0 - 1.0; }
vec2 round_corner(int i) { return vec2(((i + 1) >> 1) & 1, (i >> 1) & 1) * 2.0 - 1.0; }

void main() {
    vec2 corner = u_frame ? round_corner((gl_VertexID >> 1) & 3) : strip_corner(gl_VertexID);
    bool outer = u_frame && (gl_VertexID & 1) == 1;
    vec2 along = corner * (outer ? vec2(u_extent) : u_shadow_extent);
    v_world = (outer ? u_centre : u_shadow_centre) + vec3(along.x, 0.0, along.y);
    gl_Position = u_view_projection * vec4(v_world, 1.0);
}
