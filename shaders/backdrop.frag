// The backdrop: a vertical gradient. Needs light.glsl.

out vec4 o_colour;

void main() { o_colour = vec4(encode(backdrop()), 1.0); }
