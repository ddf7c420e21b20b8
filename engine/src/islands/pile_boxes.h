// Which pairs of a pile are too far apart for the next step to have anything to do with them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/carried_solid.h"
#include "islands/model.h"
#include "soft_steps/impact_times.h"

namespace substep::detail {

class ThreadTeam;

/// Balls tell the broad phase whom a body could meet however it turns: seven or eight pairs of a cube in a heap, of
/// which three touch. The boxes that the solids are in, along the axes of their bodies, tell the others apart for one
/// step, and what stands in no step's way need not be remembered. What is answered depends on the bodies alone: of
/// those that rest it is known from earlier steps.
class PileBoxes {
public:
    /// Begins a step: forgets where boxes were before. Where bodies are taken back to its start boxes are as they were.
    void begin() noexcept { ++step_; }
    /// Makes room for so many bodies. Allocates.
    void make_room(std::size_t bodies) {
        shapes_.reserve(bodies);
        boxes_.reserve(bodies);
        rests_.reserve(bodies);
        for (std::vector<Answer>* const each : {&answers_, &carried_}) {
            each->reserve(kPairsOfBody * bodies);
        }
        answered_pairs_.reserve(kPairsOfBody * bodies);
    }

    /// Whether the solids of a pair stay apart by more than a velocity step's margin, as long as the bodies move as
    /// they do and are accelerated as they are expected to be. False where it is not known: of bodies of several
    /// colliders, without end, or moved along ways that are prescribed.
    bool are_far(const Model& model, const ContactPair& pair);
    /// Whether a pair of a pile that has made its step would have made no difference to it as one of its pairs, as far
    /// as gravity and the host's forces tell, and the ways that the bodies went: who was stopped went less far. Or a
    /// little one: its solids went past one another by little of their size, and end hardly deeper in one another than
    /// what rests in a pile. False where it is not known.
    bool was_needless(const Model& model, const ContactPair& pair);
    /// The same of many pairs, by the numbers of their records: 1 or 0. `bodies` are those whose boxes a team may make,
    /// each once. Valid until it is asked about others.
    std::span<const std::uint8_t> find_far(const Model& model, std::span<const BodyId> bodies,
                                           std::span<const std::size_t> records, ThreadTeam* team);

private:
    static constexpr std::size_t kPairsOfBody = 12; ///< for which room is made
    /// The box of a body's solid, as long as its colliders are the same.
    struct Shape {
        std::uint64_t colliders = 0; ///< PairChanges::of_colliders, and one: 0 is none
        bool is_known = false;
        CarriedSolid carried;
        glm::dvec3 middle{0.0}; ///< m, in the axes of the solid
        glm::dvec3 half{0.0};   ///< m
        double thickness = 0.0; ///< m, where it is thinnest
    };
    /// Where it is.
    struct Bounds {
        std::uint64_t step = 0; ///< for which it was made
        bool is_known = false;
        glm::dvec3 centre{0.0}; ///< m
        glm::dmat3 axes{1.0};
        glm::dvec3 half{0.0}; ///< m
        double within = 0.0;  ///< m, half of its smallest side
        glm::dvec3 way{0.0};  ///< m, on which its velocity carries it in the step
        glm::dvec3 pull{0.0}; ///< m, by how much gravity may carry it farther
        double aside = 0.0;   ///< m, by how much a point of it may leave these ways: it turns, and forces act
    };
    /// Since when a body has hardly moved, from where it was then, nor moves in this step.
    struct Rest {
        glm::dvec3 x{0.0};
        glm::dquat q = detail::quaternion(1.0, 0.0, 0.0, 0.0);
        double gravity_factor = 1.0;
        std::uint64_t since = 0;  ///< the step before
        std::uint64_t looked = 0; ///< the step for which that is known
        bool is_quiet = false;
    };
    /// What was found of a pair of which both bodies were quiet. As long as they are it is what would be found.
    enum class Found : std::uint8_t { Nothing, Near, Far, Either };
    struct Answer {
        std::uint64_t step = 0;
        Found found = Found::Nothing;
    };
    void begin_answers(const Model& model);
    void carry_answers(const ContactTable& contacts);
    void look_at_rest(const Model& model, BodyId body);
    bool are_looked_at(const ContactPair& pair) const noexcept {
        return rests_[pair.a.index].looked == step_ && rests_[pair.b.index].looked == step_;
    }
    Found answer_of(const ContactPair& pair, const Answer& answer) const noexcept;
    Found find_lasting(const Bounds& a, const Bounds& b, double reach_a, double reach_b, double margin,
                       double length) const noexcept;
    bool find_far(const Model& model, const ContactPair& pair, Answer& answer);
    void know(const BodyTable& bodies);
    const Shape& shape_of(const Model& model, BodyId body);
    void make(const Model& model, BodyId body, Bounds& box);
    bool is_shape_known(const Model& model, BodyId body) const noexcept;
    /// Whether a body goes along a way that is prescribed, or was put elsewhere: it is not known where it is in a step.
    static bool is_led(const BodyRecord& body) noexcept {
        return !body.is_dynamic() && (body.edited || body.prescribed().moves());
    }
    double margin_of(const Model& model, const ContactPair& pair) const noexcept;
    /// How far two bodies went to one another in a step, at most.
    struct Passing {
        double straight = 0.0; ///< m
        double turned = 0.0;   ///< m, that a point may have gone besides, as its body turned
    };
    Passing passing(const Model& model, const ContactPair& pair) const noexcept;
    double gap_behind(const Model& model, const ContactPair& pair) const noexcept; ///< m
    bool ended_apart(const Model& model, const ContactPair& pair) const noexcept;
    /// Ways of a body in a step.
    struct Ways {
        MovingSolid expected; ///< velocities where it begins
        MovingSolid gone;     ///< displacements, as velocities of the time 1
    };
    Ways ways_of(const Model& model, BodyId body) const noexcept;
    bool does_nothing_with(const Model& model, const ContactPair& pair) const noexcept;
    bool are_made(const ContactPair& pair) const noexcept {
        return boxes_[pair.a.index].step == step_ && boxes_[pair.b.index].step == step_;
    }
    const Bounds& box_of(const Model& model, BodyId body) {
        Bounds& box = boxes_[body.index];
        if (box.step != step_) {
            make(model, body, box);
        }
        return box;
    }

    std::vector<Shape> shapes_; ///< by the index of a body
    std::vector<Bounds> boxes_; ///< likewise
    std::uint64_t step_ = 0;    ///< the present one, counted from 1
    std::vector<std::uint8_t> far_;
    std::vector<Rest> rests_;     ///< by the index of a body
    std::vector<Answer> answers_; ///< by the number of a pair, as long as colliders are the same
    std::vector<ColliderPair> answered_pairs_;
    std::vector<Answer> carried_; ///< scratch space
    PairChanges when_answered_;
    double answered_dt_ = 0.0; ///< s
    glm::dvec3 answered_gravity_{0.0};
};

} // namespace substep::detail
