// Lit surface of a body. Needs light.glsl.

in vec3 v_world;
in vec3 v_normal;

uniform vec3 u_colour;  // linear albedo
uniform float u_gloss;  // 0 dull, 1 polished

out vec4 o_colour;

void main() {
    vec3 n = normalize(v_normal);
    vec3 to_eye = normalize(u_eye - v_world);
    float facing = max(dot(n, u_to_light), 0.0);
    float key = facing > 0.0 ? facing * key_light_at(v_world + n * 0.004) : 0.0;

    // Hemisphere light by how far the surface looks up, then the key light.
    vec3 ambient = mix(u_bounce_colour, u_sky_colour, 0.5 + 0.5 * n.y);
    vec3 colour = u_colour * (ambient + u_key_colour * key);

    // Highlight (Blinn-Phong) and a faint rim that lifts the silhouette off the backdrop.
    vec3 halfway = normalize(u_to_light + to_eye);
    float highlight = pow(max(dot(n, halfway), 0.0), mix(12.0, 90.0, u_gloss)) * mix(0.06, 0.5, u_gloss);
    float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
    colour += u_key_colour * highlight * (key > 0.0 ? 1.0 : 0.0) + u_sky_colour * rim * 0.22;
    o_colour = vec4(encode(colour), 1.0);
}
