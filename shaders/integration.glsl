// What the solvers of points share. A program is made of this file, a field `vec3 velocity(float t, vec3 y)`, and one
// or more solvers, each named after its method.

// What became of one point.
struct Integration {
    vec3 y;          // at the interval's end, or the last good place
    int steps;       // accepted
    int rejected;
    int evaluations; // of velocity
    bool finite;     // false: the velocity was not a number even for the smallest step, and the point stopped
};

// The shortest step that single precision resolves, as a part of the interval.
const float kResolution = 1e-6;

bool is_finite(float x) { return !isnan(x) && !isinf(x); }
bool is_finite(vec3 v) { return is_finite(v.x + v.y + v.z); }

// Written out so that every machine adds in the same order.
float euclidean(vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// The factor for the next step, 0.9 (tolerance / err)^(1/order) within [0.1, 5]. The error is per unit step, so that it
// falls with the order of the estimate itself; order is 2 or 4, so that the root is made of square roots.
float step_factor(float err, float tolerance, int order) {
    float ratio = sqrt(tolerance / max(err, 1e-6 * tolerance));
    return clamp(0.9 * (order == 4 ? sqrt(ratio) : ratio), 0.1, 5.0);
}
