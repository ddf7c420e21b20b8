// The solver of a method without an error estimate; its name and coefficients are put in when the project is built.

// Moves a point along the field from t0 to t1 in that many steps of equal length.
Integration integrate_METHOD(vec3 y, float t0, float t1, int steps) {
    float h = (t1 - t0) / float(steps);
    Integration run = Integration(y, 0, 0, 0, true);
    for (int i = 0; i < steps; ++i) {
        float t = t0 + float(i) * h;
        vec3 error;
        vec3 k_end;
        vec3 end = step_METHOD(t, h, run.y, velocity(t, run.y), error, k_end);
        run.evaluations += ATTEMPT_EVALUATIONS + 1;
        if (!is_finite(end)) {
            run.finite = false;
            break;
        }
        run.y = end;
        ++run.steps;
    }
    return run;
}
