// Boxes about solids, told apart along the axes of both.
#include "islands/pile_boxes.h"

#include <algorithm>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include "bodies/tolerances.h"
#include "contact/solid_pairs.h"
#include "islands/world_settings.h"
#include "soft_steps/thread_team.h"
#include "substep/collision/shape.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {
namespace {

// Parts of a team.
constexpr std::size_t kBodiesOfPart = 128;
constexpr std::size_t kPairsOfPart = 512;

constexpr std::uint8_t kUnknown = 2;

// m, in a world of 1 m: whose points are no farther from where they were, and go no farther in a step, is quiet.
constexpr double kQuiet = 5e-4;

// Of `substep_of_stalls`: a step of a pile that is no longer surely is one interval, which has one set of contacts.
constexpr double kOneInterval = 1.25 * kUsualPileSubsteps;

/// How far apart solids have to be so that a step has nothing to do with them: along an axis a margin, and what they
/// come nearer to one another on their ways.
struct Needed {
    double margin;   // m, with what they may leave their ways by
    glm::dvec3 way;  // m, of one to the other
    glm::dvec3 pull; // m, likewise

    double along(const glm::dvec3& axis) const noexcept {
        return margin + std::abs(glm::dot(axis, way)) + std::abs(glm::dot(axis, pull));
    }
};

// How much farther than `half` the second box is along the k-th axis of the first one: it is at `centre` in the axes of
// the first, and its own are `its_axes` in the world.
double gap_along(const glm::dvec3& axis, double centre, double half, const glm::dmat3& its_axes,
                 const glm::dvec3& its_half) noexcept {
    const double its = std::abs(glm::dot(axis, its_axes[0])) * its_half.x +
                       std::abs(glm::dot(axis, its_axes[1])) * its_half.y +
                       std::abs(glm::dot(axis, its_axes[2])) * its_half.z;
    return std::abs(centre) - half - its;
}

// Whether boxes are further apart than needed along an axis of the first one. The second one is at `between` from its
// centre. The axis along which it is farthest comes first: it mostly decides.
bool are_apart(const glm::dmat3& axes, const glm::dvec3& half, const glm::dvec3& between, const glm::dmat3& its_axes,
               const glm::dvec3& its_half, const Needed& needed) noexcept {
    const glm::dvec3 centre = between * axes;
    const glm::dvec3 beyond = glm::abs(centre) - half;
    const int first = beyond.x >= beyond.y ? (beyond.x >= beyond.z ? 0 : 2) : (beyond.y >= beyond.z ? 1 : 2);
    for (const int k : {first, (first + 1) % 3, (first + 2) % 3}) {
        if (beyond[k] > needed.margin &&
            gap_along(axes[k], centre[k], half[k], its_axes, its_half) > needed.along(axes[k])) {
            return true;
        }
    }
    return false;
}

// Calls visit(axis, gap) with the axes of the first box, and how far the second one is from it along each.
template <class Visit>
void for_gaps(const glm::dmat3& axes, const glm::dvec3& half, const glm::dvec3& between, const glm::dmat3& its_axes,
              const glm::dvec3& its_half, const Visit& visit) noexcept {
    for (int k = 0; k < 3; ++k) {
        visit(axes[k], gap_along(axes[k], glm::dot(axes[k], between), half[k], its_axes, its_half));
    }
}

} // namespace

const PileBoxes::Shape& PileBoxes::shape_of(const Model& model, BodyId id) {
    Shape& shape = shapes_[id.index];
    if (shape.colliders != model.contacts.changes().of_colliders + 1) {
        const BodyRecord& body = model.bodies[id];
        shape.colliders = model.contacts.changes().of_colliders + 1;
        shape.is_known = body.colliders.size() == 1 && is_bounded(body.colliders.front().desc.shape);
        if (shape.is_known) {
            shape.carried = carried_solid(body, body.colliders.front().desc);
            const BoundingBox bounds = box_about(shape.carried.solid, {glm::dvec3(0.0), glm::dmat3(1.0)});
            shape.middle = 0.5 * (bounds.low + bounds.high);
            shape.half = 0.5 * (bounds.high - bounds.low);
            shape.thickness = smallest_extent(shape.carried.solid);
        }
    }
    return shape;
}

void PileBoxes::make(const Model& model, BodyId id, Bounds& box) {
    const BodyRecord& body = model.bodies[id];
    const Shape& shape = shape_of(model, id);
    box.step = step_;
    box.is_known = shape.is_known && !is_led(body);
    if (!box.is_known) {
        return;
    }
    const double t = model.time.now();
    const Placement at = shape.carried.placed({position_of(body, t), rotation_matrix(orientation_of(body, t))});
    box.axes = at.rotation;
    box.centre = at.position + at.rotation * shape.middle;
    box.half = shape.half;
    box.within = std::min({shape.half.x, shape.half.y, shape.half.z});
    box.way = box.pull = glm::dvec3(0.0);
    box.aside = 0.0;
    if (body.is_dynamic()) {
        const double dt = model.time.next() - t;
        const double rate = glm::length(velocity_of(body, t).angular);
        box.way = dt * body.now.v;
        box.pull = (dt * dt * body.gravity_factor) * model.settings.gravity;
        box.aside =
            dt * (dt * body.inertia.inverse_mass * glm::length(body.step_wrench.force) + shape.carried.arm() * rate);
        const double substep = substep_of_stalls(model.time.usual, scale_of(model.settings).time());
        if (dt > kOneInterval * substep) { // hits of one interval count in the next
            box.aside += glm::length(box.way) + glm::length(box.pull);
            box.way = box.pull = glm::dvec3(0.0);
        }
    }
}

// Other ways in a step, or other solids, have other answers.
void PileBoxes::begin_answers(const Model& model) {
    const PairChanges& changes = model.contacts.changes();
    const std::span<const ContactPair> pairs = model.contacts.pairs();
    if (changes.of_colliders != when_answered_.of_colliders || model.time.dt != answered_dt_ ||
        model.settings.gravity != answered_gravity_) {
        answers_.assign(pairs.size(), {});
    } else if (changes.of_pairs != when_answered_.of_pairs) {
        carry_answers(model.contacts);
    } else {
        return;
    }
    answered_pairs_.assign(pairs.begin(), pairs.end());
    when_answered_ = changes;
    answered_dt_ = model.time.dt;
    answered_gravity_ = model.settings.gravity;
}

// Pairs have come or gone, and all others have other numbers. Both lists are in the order of keys.
void PileBoxes::carry_answers(const ContactTable& contacts) {
    carried_.clear();
    std::size_t old = 0;
    for (const ContactPair& pair : contacts.pairs()) {
        const auto is_known = [&] { return old < answered_pairs_.size() && answered_pairs_[old] == pair; };
        while (!is_known() && old < answered_pairs_.size() && contacts.key(answered_pairs_[old]) < contacts.key(pair)) {
            ++old;
        }
        carried_.push_back(is_known() ? answers_[old++] : Answer{});
    }
    std::swap(answers_, carried_);
}

void PileBoxes::look_at_rest(const Model& model, BodyId id) {
    const BodyRecord& body = model.bodies[id];
    const double t = model.time.now();
    const double dt = model.time.next() - t;
    Rest& rest = rests_[id.index];
    rest.looked = step_;
    const Shape& shape = shapes_[id.index];
    const double quiet = kQuiet * model.settings.length;
    const glm::dvec3 x = position_of(body, t);
    const glm::dquat q = orientation_of(body, t);
    const auto has_stayed = [&] {
        const glm::dquat turn = q - rest.q; // half as long as the angle between both, or a little less
        return glm::length(x - rest.x) + 2.01 * std::sqrt(glm::dot(turn, turn)) * shape.carried.reach <= quiet;
    };
    const auto stays = [&] {
        if (!body.is_dynamic()) {
            return !is_led(body);
        }
        const glm::dvec3& inverse = body.inertia.inverse_moments;
        const double rate = glm::length(body.now.L) * std::max({inverse.x, inverse.y, inverse.z}); // at most
        return dt * (glm::length(body.now.v) + shape.carried.arm() * rate +
                     dt * body.inertia.inverse_mass * glm::length(body.step_wrench.force)) <=
               quiet;
    };
    rest.is_quiet = is_shape_known(model, id) && stays();
    if (!rest.is_quiet || !has_stayed() || body.gravity_factor != rest.gravity_factor) {
        rest = {x, q, body.gravity_factor, step_, step_, rest.is_quiet};
    }
}

PileBoxes::Found PileBoxes::answer_of(const ContactPair& pair, const Answer& answer) const noexcept {
    const Rest& a = rests_[pair.a.index];
    const Rest& b = rests_[pair.b.index];
    return a.is_quiet && b.is_quiet && answer.step > a.since && answer.step > b.since ? answer.found : Found::Nothing;
}

// What holds of both boxes as long as their bodies are quiet. Each point may come nearer by twice what is quiet: it may
// be on the other side of where its body was first; so may an axis turn, about a body that reaches so far. In another
// step a quiet body may do as little otherwise than in this one.
PileBoxes::Found PileBoxes::find_lasting(const Bounds& a, const Bounds& b, double reach_a, double reach_b,
                                         double margin, double length) const noexcept {
    const double quiet = kQuiet * length;
    const glm::dvec3 between = b.centre - a.centre;
    const glm::dvec3 pull = a.pull - b.pull;
    const double aside = a.aside + b.aside + 4.0 * quiet;
    const double far = glm::length(between) + glm::length(a.half) + glm::length(b.half) + glm::length(pull);
    bool is_far = false;
    bool is_near = true;
    const auto look = [&](double reach) {
        const double may_change = 4.0 * quiet + 2.01 * quiet / reach * far;
        return [&, may_change](const glm::dvec3& axis, double gap) {
            is_far |= gap > margin + std::abs(glm::dot(axis, pull)) + aside + may_change;
            is_near &= gap < margin - may_change;
        };
    };
    for_gaps(a.axes, a.half, between, b.axes, b.half, look(reach_a));
    for_gaps(b.axes, b.half, between, a.axes, a.half, look(reach_b));
    return is_far ? Found::Far : is_near ? Found::Near : Found::Either;
}

bool PileBoxes::find_far(const Model& model, const ContactPair& pair, Answer& answer) {
    const Found known = answer_of(pair, answer);
    if (known == Found::Near || known == Found::Far) {
        return known == Found::Far;
    }
    const bool is_far = are_far(model, pair);
    const Bounds& a = boxes_[pair.a.index];
    const Bounds& b = boxes_[pair.b.index];
    if (known == Found::Nothing && a.is_known && b.is_known && rests_[pair.a.index].is_quiet &&
        rests_[pair.b.index].is_quiet && rests_[pair.a.index].since < step_ && rests_[pair.b.index].since < step_) {
        answer = {step_, find_lasting(a, b, shapes_[pair.a.index].carried.reach, shapes_[pair.b.index].carried.reach,
                                      margin_of(model, pair), model.settings.length)};
    }
    return is_far;
}

std::span<const std::uint8_t> PileBoxes::find_far(const Model& model, std::span<const BodyId> bodies,
                                                  std::span<const std::size_t> records, ThreadTeam* team) {
    know(model.bodies);
    begin_answers(model);
    const std::span<const ContactPair> pairs = model.contacts.pairs();
    far_.assign(records.size(), kUnknown);
    for_parts(team, bodies.size(), kBodiesOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            look_at_rest(model, bodies[i]);
            if (!rests_[bodies[i].index].is_quiet) {
                box_of(model, bodies[i]);
            }
        }
    });
    for_parts(team, records.size(), kPairsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const ContactPair& pair = pairs[records[i]];
            if (!are_looked_at(pair)) {
                continue;
            }
            Answer& answer = answers_[records[i]];
            const Found known = answer_of(pair, answer);
            if (known == Found::Near || known == Found::Far) {
                far_[i] = known == Found::Far ? 1 : 0;
            } else if (are_made(pair)) {
                far_[i] = find_far(model, pair, answer) ? 1 : 0;
            }
        }
    });
    for (std::size_t i = 0; i < records.size(); ++i) { // with others, of whom several pairs may know
        if (far_[i] == kUnknown) {
            const ContactPair& pair = pairs[records[i]];
            for (const BodyId id : {pair.a, pair.b}) {
                if (rests_[id.index].looked != step_) {
                    box_of(model, id); // what it is made of is known then
                    look_at_rest(model, id);
                }
            }
            far_[i] = find_far(model, pair, answers_[records[i]]) ? 1 : 0;
        }
    }
    return far_;
}

// Makes room for all bodies.
void PileBoxes::know(const BodyTable& bodies) {
    if (boxes_.size() < bodies.index_limit()) {
        boxes_.resize(bodies.index_limit());
        shapes_.resize(bodies.index_limit());
        rests_.resize(bodies.index_limit());
    }
}

bool PileBoxes::are_far(const Model& model, const ContactPair& pair) {
    know(model.bodies);
    const Bounds& a = box_of(model, pair.a);
    const Bounds& b = box_of(model, pair.b);
    if (!a.is_known || !b.is_known) {
        return false;
    }
    const double margin = margin_of(model, pair);
    const glm::dvec3 between = b.centre - a.centre;
    const double touching = a.within + b.within + margin;
    if (glm::dot(between, between) < touching * touching) {
        return false; // even the balls within the boxes are so near
    }
    const Needed needed{margin + a.aside + b.aside, a.way - b.way, a.pull - b.pull};
    return are_apart(a.axes, a.half, between, b.axes, b.half, needed) ||
           are_apart(b.axes, b.half, between, a.axes, a.half, needed);
}

// As far apart as a contact set looks at them, m; of shapes that are known.
double PileBoxes::margin_of(const Model& model, const ContactPair& pair) const noexcept {
    const double thinnest = std::min(shapes_[pair.a.index].thickness, shapes_[pair.b.index].thickness);
    return kFarPair * length_of_pair(model.settings.length, thinnest);
}

bool PileBoxes::is_shape_known(const Model& model, BodyId id) const noexcept {
    const Shape& shape = shapes_[id.index];
    return shape.is_known && shape.colliders == model.contacts.changes().of_colliders + 1;
}

} // namespace substep::detail
