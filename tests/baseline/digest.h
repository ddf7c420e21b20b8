// A 64-bit digest of numbers by their bits, and of whatever a world shows in public.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "substep/substep.h"

namespace baseline {

/// Equal sequences of bits give equal values; a different bit changes about half of the value's. Numbers are mixed in
/// by the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). Every NaN counts as the same one: their signs
/// differ between compilers. Independent of the engine's own hash, which is among the things that are checked.
class Digest {
public:
    Digest& add(std::uint64_t bits) noexcept {
        std::uint64_t z = (value_ ^ bits) + 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        value_ = z ^ (z >> 31);
        return *this;
    }
    Digest& add(double x) noexcept {
        return add(std::isnan(x) ? std::uint64_t{0x7ff8000000000000u} : std::bit_cast<std::uint64_t>(x));
    }
    Digest& add(const glm::dvec3& v) noexcept { return add(v.x).add(v.y).add(v.z); }
    Digest& add(const glm::dquat& q) noexcept { return add(q.w).add(q.x).add(q.y).add(q.z); }
    Digest& add(const substep::Pose& pose) noexcept { return add(pose.position).add(pose.orientation); }
    Digest& add(const substep::Wrench& wrench) noexcept { return add(wrench.force).add(wrench.torque); }
    Digest& add(std::string_view text) noexcept {
        add(std::uint64_t{text.size()});
        for (const char c : text) {
            add(std::uint64_t{static_cast<unsigned char>(c)});
        }
        return *this;
    }
    /// Any whole number, truth value or enumeration.
    template <class Whole>
    requires(std::is_integral_v<Whole> || std::is_enum_v<Whole>) Digest& count(Whole value) noexcept {
        return add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }

    std::uint64_t value() const noexcept { return value_; }

private:
    std::uint64_t value_ = 0;
};

/// Adds everything that a report says, but how many evaluations samples took: looking is not part of the motion.
void add_report(Digest& digest, const substep::StepReport& report);

/// Adds place, velocities and momentum of every body.
void add_bodies(Digest& digest, const substep::World& world);

/// Adds contacts, impacts, islands with their reports, attempts at substeps and energy: answers that cost no
/// evaluation.
void add_answers(Digest& digest, const substep::World& world);

/// Adds coordinates, errors and forces of joints, and a pose of every body within the last step of dt (s): answers that
/// may take evaluations.
void add_costly_answers(Digest& digest, const substep::World& world, double dt);

/// Adds the energy ledger's accounts.
void add_accounts(Digest& digest, const substep::World& world);

} // namespace baseline
