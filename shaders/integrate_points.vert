// Moves each vertex along the field; its results are captured by transform feedback. INTEGRATE stands for a call of one
// of the solvers.
layout(location = 0) in vec3 start;

uniform float t0;
uniform float t1;
uniform float tolerance;
uniform float smallest_step;
uniform int fixed_steps;

out vec3 end;
flat out ivec4 counts; // steps, rejected, evaluations, 1 if finite

void main() {
    Integration run = INTEGRATE;
    end = run.y;
    counts = ivec4(run.steps, run.rejected, run.evaluations, run.finite ? 1 : 0);
}
