// Velocity of an elastic medium under a brush that moves along a straight stroke: regularised Kelvinlets, the closed
// forms of de Goes & James, "Regularized Kelvinlets: Sculpting Brushes based on Fundamental Solutions of Elasticity"
// (ACM Trans. Graph. 36(4), 2017), equations 6 and 14 to 17. Each is divided by its value, or its gradient, at the
// brush's centre, which cancels the shear modulus.

// In front of it stands `const int brush = N;`: 0 grab, 1 twist, 2 scale, 3 pinch. As a uniform it took up to twice as
// long to compile, because a solver holds a copy of the field for each of its stages.
uniform vec3 stroke_begin;  // m: the brush's centre at t = 0 ...
uniform vec3 stroke_end;    // ... and at t = 1
uniform vec3 stroke_axis;   // unit: twist turns about it, pinch stretches along it
uniform float stroke_rate;  // 1/s: at the centre, of turning, growing or stretching; grab: times the brush's velocity
uniform float brush_radius; // m, epsilon
uniform float poisson;      // Poisson's ratio, up to 1/2, where the medium keeps its volume

vec3 velocity(float t, vec3 y) {
    vec3 r = y - (stroke_begin + t * (stroke_end - stroke_begin));
    float e = brush_radius;
    float b = 0.25 / (1.0 - poisson); // b/a of the paper, with a = 1
    float d = sqrt(r.x * r.x + r.y * r.y + r.z * r.z + e * e); // r_epsilon
    float d3 = d * d * d;
    float d5 = d3 * d * d;

    // Grab: ((a - b)/d + a e^2/(2 d^3)) f + b/d^3 r (r.f), with f such that the centre moves with the brush.
    if (brush == 0) {
        vec3 f = stroke_rate * (stroke_end - stroke_begin);
        return (e / (1.5 - b)) * (((1.0 - b) / d + 0.5 * e * e / d3) * f + (b * dot(r, f) / d3) * r);
    }

    // Twist and scale: the same fall-off 1/d^3 + 3 e^2/(2 d^5).
    float fall = (0.4 * e * e * e) * (1.0 / d3 + 1.5 * e * e / d5);
    if (brush == 1) return (stroke_rate * fall) * cross(stroke_axis, r);
    if (brush == 2) return (stroke_rate * fall) * r;

    // Pinch by the traceless F = (3 s s^T - 1)/2: (2b - a)/d^3 F r - 3/(2 d^5) (2b (r.F r) + a e^2 F) r.
    vec3 fr = 1.5 * dot(stroke_axis, r) * stroke_axis - 0.5 * r;
    vec3 u = ((2.0 * b - 1.0) / d3) * fr - (1.5 / d5) * (2.0 * b * dot(r, fr) * r + (e * e) * fr);
    return (stroke_rate * e * e * e / (2.0 * b - 2.5)) * u;
}
