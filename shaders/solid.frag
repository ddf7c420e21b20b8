// Lit surface of a body. Needs light.glsl.

in vec3 v_world;
in vec3 v_normal;

uniform vec3 u_colour;  // linear albedo
uniform float u_gloss;  // 0 dull, 1 polished

out vec4 o_colour;

void main() {
    o_colour = vec4(encode(lit(u_colour, u_gloss, v_world, normalize(v_normal))), 1.0);
}
