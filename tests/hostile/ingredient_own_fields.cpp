// Force fields of a user's own, that offer everything a field may offer.
#include <array>
#include <cmath>

#include "ingredients.h"

namespace hostile {
namespace {

using namespace substep;

/// A stiff pull between the centres of two bodies, straight, with the elements that linearly implicit methods ask for:
/// `claimed` times as stiff as it is.
class StiffPull final : public ForceField, private FieldStiffness, private FieldPotential {
public:
    StiffPull(BodyId a, BodyId b, double stiffness, double damping, double claimed)
        : bodies_{a, b}, stiffness_(stiffness), damping_(damping), claimed_(claimed) {}
    std::span<const BodyId> bodies() const noexcept override { return bodies_; }
    void write_wrenches(double, std::span<const BodyMotion> bodies,
                        std::span<Wrench> wrenches) const noexcept override {
        const glm::dvec3 force = stiffness_ * (bodies[0].position - bodies[1].position) +
                                 damping_ * (bodies[0].velocity - bodies[1].velocity);
        wrenches[0].force = -force;
        wrenches[1].force = force;
    }
    bool is_steady() const noexcept override { return true; }
    FieldCapabilities capabilities() const noexcept override { return {.stiffness = this, .potential = this}; }
    std::size_t stiffness_count() const noexcept override { return 1; }
    std::array<std::size_t, 2> stiffness_between(std::size_t) const noexcept override { return {0, 1}; }
    void write_stiffness(double, std::span<const BodyMotion>, std::span<Stiffness> elements) const noexcept override {
        for (int i = 0; i < 3; ++i) {
            Stiffness::Direction& direction = elements[0].directions[static_cast<std::size_t>(i)];
            direction.unit[0].force[i] = 1.0;
            direction.unit[1].force[i] = -1.0;
            direction.stiffness = claimed_ * stiffness_;
            direction.damping = claimed_ * damping_;
        }
    }
    double potential(double, std::span<const BodyMotion> bodies) const noexcept override {
        const glm::dvec3 apart = bodies[0].position - bodies[1].position;
        return 0.5 * stiffness_ * glm::dot(apart, apart);
    }
    double power_beyond_potential(double, std::span<const BodyMotion> bodies,
                                  std::span<const Wrench>) const noexcept override {
        const glm::dvec3 rate = bodies[0].velocity - bodies[1].velocity;
        return -damping_ * glm::dot(rate, rate);
    }

private:
    std::array<BodyId, 2> bodies_;
    double stiffness_, damping_, claimed_;
};

/// A leash between two bodies: slack up to its length, a spring beyond.
class Leash final : public ForceField, private FieldSwitches {
public:
    Leash(BodyId a, BodyId b, double stiffness, double length)
        : bodies_{a, b}, stiffness_(stiffness), length_(length) {}
    std::span<const BodyId> bodies() const noexcept override { return bodies_; }
    void write_wrenches(double, std::span<const BodyMotion> bodies,
                        std::span<Wrench> wrenches) const noexcept override {
        const glm::dvec3 apart = bodies[0].position - bodies[1].position;
        const double r = glm::length(apart);
        if ((bodies[0].sides & 1u) != 0 && r > 0.0) {
            wrenches[0].force = -stiffness_ * (1.0 - length_ / r) * apart;
            wrenches[1].force = -wrenches[0].force;
        }
    }
    FieldCapabilities capabilities() const noexcept override { return {.switches = this}; }
    std::size_t switch_count() const noexcept override { return 1; }
    void switch_values(double, std::span<const BodyMotion> bodies, std::span<double> g) const noexcept override {
        const glm::dvec3 apart = bodies[0].position - bodies[1].position;
        g[0] = glm::dot(apart, apart) - length_ * length_;
    }

private:
    std::array<BodyId, 2> bodies_;
    double stiffness_, length_;
};

/// A push that turns round at every beat, as announced; or, where it does not keep time, announced too early.
class Metronome final : public ForceField {
public:
    Metronome(const glm::dvec3& push, double beat, bool keeps_time)
        : push_(push), beat_(beat), keeps_time_(keeps_time) {}
    Wrench at(double t, const BodyMotion& body) const noexcept override {
        const double n = std::floor(t / beat_);
        return {(n - 2.0 * std::floor(0.5 * n) < 0.5 ? body.mass : -body.mass) * push_, {}};
    }
    double next_change(double t) const noexcept override {
        if (!keeps_time_) {
            return t;
        }
        double n = std::floor(t / beat_) + 1.0;
        while (!(n * beat_ > t)) {
            n += 1.0;
        }
        return n * beat_;
    }

private:
    glm::dvec3 push_;
    double beat_;
    bool keeps_time_;
};

} // namespace

std::unique_ptr<ForceField> any_own_field(Draws draw, const PickBody& pick) {
    const BodyId a = pick(draw, "body_a"), b = pick(draw, "body_b");
    const double stiffness = draw.decade("stiffness", 0.0, 7.0);
    const double damping =
        draw.number("damping", [](Random& random) { return random.chance(0.5) ? 0.0 : random.decade(-2.0, 4.0); });
    const double claimed =
        draw.number("claimed", [](Random& random) { return random.chance(0.6) ? 1.0 : random.decade(-3.0, 2.0); });
    const double length = draw.decade("length", -1.0, 1.0);
    switch (draw.one_of("kind", {"stiff_pull", "leash", "metronome"})) {
    case 0:
        return std::make_unique<StiffPull>(a, b, stiffness, damping, claimed);
    case 1:
        return std::make_unique<Leash>(a, b, stiffness, length);
    default: {
        const bool keeps_time = draw.chance("keeps_time", 0.9);
        const double beat = draw.decade("beat", -3.0, 0.0);
        return std::make_unique<Metronome>(draw.vector("push", 20.0), beat, keeps_time);
    }
    }
}

} // namespace hostile
