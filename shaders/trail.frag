// Fading ribbon with edges smoothed over a pixel.

in float v_side;
in float v_age;
in float v_width;

uniform vec3 u_colour;   // display encoding
uniform float u_opacity; // of the newest end

out vec4 o_colour;

void main() {
    float edge = clamp((1.0 - abs(v_side)) * v_width, 0.0, 1.0);
    float fade = (1.0 - v_age) * (1.0 - v_age);
    o_colour = vec4(u_colour, u_opacity * fade * edge);
}
