// A ribbon that always faces the camera; its points come in pairs, one for each edge.

layout(location = 0) in vec3 a_position; // m, world, middle of the ribbon
layout(location = 1) in vec3 a_along;    // direction of travel
layout(location = 2) in vec2 a_side_age; // -1 or 1 for the edge; age, 0 new to 1 gone

uniform mat4 u_view_projection;
uniform vec3 u_eye;
uniform float u_half_width; // m, where the trail is new
uniform float u_pixel;      // size of a pixel over its distance

out float v_side;
out float v_age;
out float v_width; // pixels, half

void main() {
    vec3 to_eye = u_eye - a_position;
    vec3 across = cross(a_along, to_eye);
    float length_across = length(across);
    across = length_across > 1e-9 ? across / length_across : vec3(0.0);

    // One pixel more on each side than the ribbon is wide: the edge fades out there.
    float pixel = u_pixel * length(to_eye);
    float half_width = max(u_half_width * (1.0 - 0.75 * a_side_age.y), 0.6 * pixel) + pixel;
    v_side = a_side_age.x;
    v_age = a_side_age.y;
    v_width = half_width / pixel;
    gl_Position = u_view_projection * vec4(a_position + across * half_width * a_side_age.x, 1.0);
}
