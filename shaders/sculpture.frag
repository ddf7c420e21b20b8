// Lit surface of a sculpture, coloured by the steps that its vertices took. Needs light.glsl.

in vec3 v_world;
in vec3 v_normal;
in float v_heat;

uniform vec3 u_clay;  // linear albedo of what took none
uniform vec3 u_cool;  // linear, few steps
uniform vec3 u_warm;  // linear
uniform vec3 u_hot;   // linear, most steps
uniform float u_tint; // 0: clay alone

out vec4 o_colour;

void main() {
    vec3 tint = v_heat < 0.5 ? mix(u_cool, u_warm, 2.0 * v_heat) : mix(u_warm, u_hot, 2.0 * v_heat - 1.0);
    vec3 albedo = mix(u_clay, tint, u_tint * smoothstep(0.0, 0.08, v_heat));
    o_colour = vec4(encode(lit(albedo, 0.12, v_world, normalize(v_normal))), 1.0);
}
