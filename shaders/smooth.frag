// Smooths edges where multisampling is not to be had: blurs along an edge, whose direction is read from the brightness
// of four neighbours (the idea of FXAA: Lottes, NVIDIA white paper, 2009).

in vec2 v_uv;

uniform sampler2D u_picture;
uniform vec2 u_texel; // 1 / size of the picture

out vec4 o_colour;

float brightness(vec3 colour) { return dot(colour, vec3(0.299, 0.587, 0.114)); }

void main() {
    // Corners around this pixel, and how much they differ.
    vec3 middle = texture(u_picture, v_uv).rgb;
    float nw = brightness(texture(u_picture, v_uv + vec2(-0.5, 0.5) * u_texel).rgb);
    float ne = brightness(texture(u_picture, v_uv + vec2(0.5, 0.5) * u_texel).rgb);
    float sw = brightness(texture(u_picture, v_uv + vec2(-0.5, -0.5) * u_texel).rgb);
    float se = brightness(texture(u_picture, v_uv + vec2(0.5, -0.5) * u_texel).rgb);
    float m = brightness(middle);
    float low = min(m, min(min(nw, ne), min(sw, se)));
    float high = max(m, max(max(nw, ne), max(sw, se)));

    // Along the edge means across the gradient.
    vec2 along = vec2((sw + se) - (nw + ne), (nw + sw) - (ne + se));
    float shortest = min(abs(along.x), abs(along.y)) + 0.02;
    along = clamp(along / shortest, vec2(-6.0), vec2(6.0)) * u_texel;
    vec3 narrow = 0.5 * (texture(u_picture, v_uv - along / 6.0).rgb + texture(u_picture, v_uv + along / 6.0).rgb);
    vec3 ends = texture(u_picture, v_uv - along * 0.5).rgb + texture(u_picture, v_uv + along * 0.5).rgb;
    vec3 wide = 0.5 * narrow + 0.25 * ends;

    // The wide blur unless it reached something else; nothing where there is no edge.
    float wide_brightness = brightness(wide);
    vec3 smoothed = wide_brightness < low || wide_brightness > high ? narrow : wide;
    o_colour = vec4(high - low < max(0.02, high * 0.08) ? middle : smoothed, 1.0);
}
