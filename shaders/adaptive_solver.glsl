// The solver of a method with an error estimate; its name and coefficients are put in when the project is built.

// Moves a point along the field from t0 to t1, either of which may come first. The error estimate, per unit step, stays
// below the tolerance, except in steps of length h_min: those are accepted whatever their error, so that every point
// arrives.
Integration integrate_METHOD(vec3 y, float t0, float t1, float tolerance, float h_min) {
    float direction = t1 < t0 ? -1.0 : 1.0;
    float left = abs(t1 - t0);
    float h = 0.1 * left;
    float h_floor = max(h_min, kResolution * left);
    bool retried = false;
    vec3 k0 = velocity(t0, y);
    Integration run = Integration(y, 0, 0, 1, true);
    while (left > 0.0) {
        // What is left is halved rather than ended with a sliver.
        float wanted = max(h, h_floor);
        float used = wanted >= left ? left : min(wanted, 0.5 * left);
        bool shortest = used <= h_floor;

        vec3 error;
        vec3 k_end;
        vec3 end = step_METHOD(t1 - direction * left, direction * used, run.y, k0, error, k_end);
        run.evaluations += ATTEMPT_EVALUATIONS;
        float err = euclidean(error) / used;
        bool finite = is_finite(err) && is_finite(end);

        if (!finite && shortest) {
            run.finite = false;
            break;
        }
        if (!finite || (err > tolerance && !shortest)) {
            h = used * (finite ? step_factor(err, tolerance, ERROR_ORDER) : 0.1);
            retried = true;
            ++run.rejected;
            continue;
        }

        // Accepted. Right after a rejection the step does not grow.
        run.y = end;
        ++run.steps;
        left = used == left ? 0.0 : left - used;
        float factor = step_factor(err, tolerance, ERROR_ORDER);
        h = used * (retried ? min(factor, 1.0) : factor);
        retried = false;
        k0 = k_end;
        if (!FIRST_SAME_AS_LAST && left > 0.0) {
            k0 = velocity(t1 - direction * left, run.y);
            ++run.evaluations;
        }
    }
    return run;
}
