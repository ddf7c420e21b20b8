// Ground with a subtle grid and the soft shadow, fading into the backdrop. Needs light.glsl.

in vec3 v_world;

uniform vec3 u_centre;
uniform float u_reach;        // m: where the ground has become the backdrop
uniform float u_cell;         // m: grid spacing
uniform vec3 u_ground_colour; // linear
uniform vec3 u_grid_colour;   // linear
uniform float u_shadow_depth; // how dark a shadow is, 0 to 1

out vec4 o_colour;

// Coverage of lines of about one pixel at every whole multiple of 1, where `at` advances by `slope` per pixel.
float grid_lines(vec2 at, vec2 slope) {
    vec2 distance_in_pixels = abs(fract(at - 0.5) - 0.5) / slope;
    vec2 line = clamp(1.0 - distance_in_pixels, 0.0, 1.0) * (1.0 - smoothstep(0.15, 0.5, slope));
    return max(line.x, line.y);
}

void main() {
    vec3 behind = backdrop();
    float away = length(v_world.xz - u_centre.xz) / u_reach;
    if (away >= 1.0) discard;
    float presence = 1.0 - smoothstep(0.15, 1.0, away);

    // Fine lines for the cells, stronger ones for every fifth.
    vec2 at = v_world.xz / u_cell;
    vec2 slope = fwidth(at);
    float line = 0.35 * grid_lines(at, slope) + 0.65 * grid_lines(at / 5.0, slope / 5.0);

    vec3 colour = mix(u_ground_colour, u_grid_colour, line * presence);
    colour *= 1.0 - u_shadow_depth * (1.0 - key_light_at(v_world));
    o_colour = vec4(encode(mix(behind, colour, presence)), 1.0);
}
