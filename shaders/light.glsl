// Light shared by everything that is lit: a hemisphere of sky and ground, one key light with a soft shadow, and the
// backdrop into which the ground fades. Put in front of the fragment shaders that say so.

uniform vec3 u_eye;            // m, world
uniform vec3 u_to_light;       // unit vector towards the key light
uniform vec3 u_key_colour;     // linear
uniform vec3 u_sky_colour;     // linear, from above
uniform vec3 u_bounce_colour;  // linear, from below
uniform vec3 u_backdrop_top;   // linear
uniform vec3 u_backdrop_low;   // linear
uniform vec2 u_picture_corner; // pixels, lower left
uniform vec2 u_picture_size;   // pixels
uniform mat4 u_shadow_matrix;  // world to shadow map, [0, 1]
uniform sampler2DShadow u_shadow_map;
uniform int u_shadow_radius;   // taps on each side of the middle one; -1: no shadow
uniform float u_shadow_texel;  // 1 / size of the shadow map

// Fraction of the key light that arrives at a world point: percentage-closer filtering with a tent of taps. A radius of
// -1 means that nothing can cast a shadow here.
float key_light_at(vec3 world) {
    vec4 p = u_shadow_matrix * vec4(world, 1.0);
    float reach = float(u_shadow_radius) + 1.0;
    float sum = 0.0;
    for (int i = -u_shadow_radius; i <= u_shadow_radius; ++i) {
        for (int j = -u_shadow_radius; j <= u_shadow_radius; ++j) {
            float weight = (reach - abs(float(i))) * (reach - abs(float(j)));
            sum += weight * texture(u_shadow_map, vec3(p.xy + vec2(i, j) * u_shadow_texel, p.z));
        }
    }
    bool outside = u_shadow_radius < 0 || any(greaterThan(abs(p.xyz - 0.5), vec3(0.5)));
    return outside ? 1.0 : sum / (reach * reach * reach * reach); // the sum of all weights
}

// Colour of the backdrop behind this pixel, linear.
vec3 backdrop() {
    float height = (gl_FragCoord.y - u_picture_corner.y) / u_picture_size.y;
    return mix(u_backdrop_low, u_backdrop_top, smoothstep(0.0, 1.0, height));
}

// Linear light to the display's encoding, approximated by gamma 2: a root is cheap where a processor draws. A pattern
// of half a step removes the bands that slow gradients would show.
vec3 encode(vec3 linear) {
    vec3 display = sqrt(max(linear, vec3(0.0)));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return display + noise / 255.0;
}
