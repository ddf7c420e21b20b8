// Damped and driven oscillator in closed form.
#include "linear_oscillator.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace substep::detail {

LinearOscillator::LinearOscillator(const OscillatorDesc& desc) : desc_(desc) {
    const double sum = desc.natural_rate + desc.damping + desc.drive + desc.drive_rate + desc.drive_phase + desc.start +
                       desc.start_rate;
    if (!std::isfinite(sum) || desc.natural_rate <= 0.0 || desc.damping < 0.0) {
        throw std::invalid_argument("an oscillator needs finite numbers, a positive rate and damping >= 0");
    }

    // X = a (d - 2 i gamma w) / (d^2 + 4 gamma^2 w^2) with d = Omega0^2 - w^2, as a product that keeps its digits.
    const long double w = desc.drive_rate;
    const long double detuning = (desc.natural_rate - w) * (desc.natural_rate + w);
    const long double loss = 2.0L * desc.damping * w;
    resonant_ = detuning == 0.0L && loss == 0.0L;
    if (!resonant_) {
        const long double square = detuning * detuning + loss * loss;
        cosine_ = desc.drive * detuning / square;
        sine_ = desc.drive * loss / square;
    }
    const Precise steady_start = steady(0.0L);
    free_start_ = {desc.start - steady_start.position, desc.start_rate - steady_start.rate};
}

LinearOscillator::Precise LinearOscillator::steady(long double t) const {
    const long double w = desc_.drive_rate;
    const long double c = std::cos(w * t + desc_.drive_phase);
    const long double s = std::sin(w * t + desc_.drive_phase);
    if (resonant_) {
        const long double growth = desc_.drive / (2.0L * w);
        return {growth * t * s, growth * (s + w * t * c)};
    }
    return {cosine_ * c + sine_ * s, w * (sine_ * c - cosine_ * s)};
}

LinearOscillator::State LinearOscillator::at(double time) const {
    const long double t = time;
    const long double gamma = desc_.damping;
    const long double square = (gamma - desc_.natural_rate) * (gamma + desc_.natural_rate);

    // e^(-gamma t) C and e^(-gamma t) S; above critical damping as decaying exponentials, which never overflow.
    long double c = 1.0L;
    long double s = t;
    long double envelope = std::exp(-gamma * t);
    if (square < 0.0L) {
        const long double rate = std::sqrt(-square);
        c = std::cos(rate * t);
        s = std::sin(rate * t) / rate;
    } else if (square > 0.0L) {
        const long double rate = std::sqrt(square);
        const long double ratio = std::exp(-2.0L * rate * t);
        envelope = std::exp((rate - gamma) * t);
        c = 0.5L * (1.0L + ratio);
        s = 0.5L * (1.0L - ratio) / rate;
    }

    // x = C x0 + S (x0' + gamma x0); x' from C' = s S and S' = C.
    const long double lead = free_start_.rate + gamma * free_start_.position;
    const long double position = envelope * (c * free_start_.position + s * lead);
    const long double rate = envelope * (square * s * free_start_.position + c * lead) - gamma * position;
    const Precise forced = steady(t);
    return {static_cast<double>(position + forced.position), static_cast<double>(rate + forced.rate)};
}

double LinearOscillator::steady_amplitude() const {
    return resonant_ ? std::numeric_limits<double>::infinity() : static_cast<double>(std::hypot(cosine_, sine_));
}

} // namespace substep::detail
