// Translucent shell of a body that is not there: dense at the silhouette, clear in the middle. Needs light.glsl.

in vec3 v_world;
in vec3 v_normal;

uniform vec3 u_colour;    // linear
uniform float u_density;  // opacity of the middle

out vec4 o_colour;

void main() {
    vec3 to_eye = normalize(u_eye - v_world);
    float edge = 1.0 - abs(dot(normalize(v_normal), to_eye));
    float opacity = mix(u_density, 0.65, edge * edge * edge);
    o_colour = vec4(encode(u_colour * (0.75 + 0.6 * edge)), opacity);
}
