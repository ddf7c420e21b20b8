// Four doubles one after the other in place of a register.
#include "pile_kernels_scalar.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "soft_steps/pile_kernels.h"

namespace substep {
namespace {

class ScalarFour {
public:
    struct Mask {
        bool bits[4];
        friend Mask operator&(Mask a, Mask b) {
            return made([&](int i) { return a.bits[i] && b.bits[i]; });
        }
        friend Mask operator|(Mask a, Mask b) {
            return made([&](int i) { return a.bits[i] || b.bits[i]; });
        }
        friend Mask operator!(Mask a) {
            return made([&](int i) { return !a.bits[i]; });
        }
        friend bool any(Mask a) { return a.bits[0] || a.bits[1] || a.bits[2] || a.bits[3]; }
        friend bool all(Mask a) { return !any(!a); }
        template <class F>
        static Mask made(const F& f) {
            return {{f(0), f(1), f(2), f(3)}};
        }
    };

    ScalarFour() = default;
    ScalarFour(double x) : v_{x, x, x, x} {} // NOLINT: a number is a pack of it

    static ScalarFour load(const double* from) {
        return made([&](int i) { return from[i]; });
    }
    void store(double* to) const {
        for (int i = 0; i < 4; ++i) {
            to[i] = v_[i];
        }
    }

    friend ScalarFour operator+(ScalarFour a, ScalarFour b) {
        return made([&](int i) { return a.v_[i] + b.v_[i]; });
    }
    friend ScalarFour operator-(ScalarFour a, ScalarFour b) {
        return made([&](int i) { return a.v_[i] - b.v_[i]; });
    }
    friend ScalarFour operator*(ScalarFour a, ScalarFour b) {
        return made([&](int i) { return a.v_[i] * b.v_[i]; });
    }
    friend ScalarFour operator/(ScalarFour a, ScalarFour b) {
        return made([&](int i) { return a.v_[i] / b.v_[i]; });
    }
    friend ScalarFour operator-(ScalarFour a) {
        return made([&](int i) { return -a.v_[i]; });
    }
    friend Mask operator<(ScalarFour a, ScalarFour b) {
        return Mask::made([&](int i) { return a.v_[i] < b.v_[i]; });
    }
    friend Mask operator<=(ScalarFour a, ScalarFour b) {
        return Mask::made([&](int i) { return a.v_[i] <= b.v_[i]; });
    }
    friend Mask operator>(ScalarFour a, ScalarFour b) { return b < a; }

    friend ScalarFour select(Mask mask, ScalarFour a, ScalarFour b) {
        return made([&](int i) { return mask.bits[i] ? a.v_[i] : b.v_[i]; });
    }
    friend ScalarFour absolute(ScalarFour x) {
        return made([&](int i) { return std::fabs(x.v_[i]); });
    }
    friend ScalarFour larger(ScalarFour a, ScalarFour b) { return select(a > b, a, b); }
    friend ScalarFour smaller(ScalarFour a, ScalarFour b) { return select(a < b, a, b); }
    friend ScalarFour square_root(ScalarFour x) {
        return made([&](int i) { return std::sqrt(x.v_[i]); });
    }
    friend Mask is_odd(ScalarFour number) {
        return Mask::made([&](int i) { return (std::bit_cast<std::int64_t>(number.v_[i]) & 1) != 0; });
    }
    friend ScalarFour negate_where_second_bit(ScalarFour x, ScalarFour number, std::int64_t offset) {
        return made([&](int i) {
            const bool is_second = ((std::bit_cast<std::int64_t>(number.v_[i]) + offset) & 2) != 0;
            return is_second ? -x.v_[i] : x.v_[i];
        });
    }
    friend void transpose(ScalarFour& a, ScalarFour& b, ScalarFour& c, ScalarFour& d) {
        const ScalarFour rows[] = {a, b, c, d};
        a = made([&](int i) { return rows[i].v_[0]; });
        b = made([&](int i) { return rows[i].v_[1]; });
        c = made([&](int i) { return rows[i].v_[2]; });
        d = made([&](int i) { return rows[i].v_[3]; });
    }

private:
    template <class F>
    static ScalarFour made(const F& f) {
        ScalarFour x;
        for (int i = 0; i < 4; ++i) {
            x.v_[i] = f(i);
        }
        return x;
    }
    double v_[4];
};

} // namespace

const detail::PileKernels& test::scalar_pile_kernels() noexcept {
    static constexpr detail::PileKernels kKernels = detail::pile_kernels_of<ScalarFour>("scalar");
    return kKernels;
}

} // namespace substep
