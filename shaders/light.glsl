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

// Light that a surface of that albedo sends to the eye, linear; gloss from 0, dull, to 1, polished.
vec3 lit(vec3 albedo, float gloss, vec3 world, vec3 n) {
    vec3 to_eye = normalize(u_eye - world);
    float facing = max(dot(n, u_to_light), 0.0);
    float key = facing > 0.0 ? facing * key_light_at(world + n * 0.004) : 0.0;

    // Hemisphere light by how far the surface looks up, then the key light.
    vec3 ambient = mix(u_bounce_colour, u_sky_colour, 0.5 + 0.5 * n.y);
    vec3 colour = albedo * (ambient + u_key_colour * key);

    // Highlight (Blinn-Phong) and a faint rim that lifts the silhouette off the backdrop.
    vec3 halfway = normalize(u_to_light + to_eye);
    float highlight = pow(max(dot(n, halfway), 0.0), mix(12.0, 90.0, gloss)) * mix(0.06, 0.5, gloss);
    float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
    return colour + u_key_colour * highlight * (key > 0.0 ? 1.0 : 0.0) + u_sky_colour * rim * 0.22;
}

// Linear light to the display's encoding, approximated by gamma 2: a root is cheap where a processor draws. A pattern
// of half a step removes the bands that slow gradients would show.
vec3 encode(vec3 linear) {
    vec3 display = sqrt(max(linear, vec3(0.0)));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return display + noise / 255.0;
}
