// Writes depth alone: the shadow map, and the ghost's front surface.

void main() {}
