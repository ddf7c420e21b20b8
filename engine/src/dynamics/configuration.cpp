// Brings bodies, joints and contacts to one place, each only where it is not there already.
#include "dynamics/configuration.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace substep::detail {
namespace {

// Writes which of `count` dynamic bodies joints connect: each gets the number of one of its chain.
void write_chains(std::span<const IslandJoint> joints, std::span<const IslandCoupling> couplings, std::size_t count,
                  std::vector<int>& chain) {
    chain.resize(count);
    std::iota(chain.begin(), chain.end(), 0);
    const auto name_of = [&](int body) {
        while (chain[static_cast<std::size_t>(body)] != body) {
            int& next = chain[static_cast<std::size_t>(body)];
            body = next = chain[static_cast<std::size_t>(next)];
        }
        return body;
    };
    const auto connect = [&](int first, int second) {
        const auto is_dynamic = [count](int body) { return static_cast<std::size_t>(body) < count; };
        if (is_dynamic(first) && is_dynamic(second)) {
            chain[static_cast<std::size_t>(name_of(second))] = name_of(first);
        }
    };
    for (const IslandJoint& joint : joints) {
        connect(joint.body[0], joint.body[1]);
    }
    for (const IslandCoupling& coupling : couplings) {
        for (const int first : coupling.joint[0].body) {
            for (const int second : coupling.joint[1].body) {
                connect(first, second);
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        chain[i] = name_of(static_cast<int>(i));
    }
}

} // namespace

void Configuration::build(std::span<const BodyInertia> inertias, std::span<const IslandJoint> joints,
                          std::span<const IslandCoupling> couplings) {
    bodies_.build(inertias);
    joints_.build(joints, couplings, static_cast<int>(inertias.size()), contacts_.work().inner_counter());
    write_chains(joints, couplings, inertias.size(), contacts_.chains());
    has_rotation_rows_.assign(inertias.size(), false);
    for (const IslandJoint& joint : joints) {
        const bool locks = std::ranges::any_of(joint.locked_rotation, [](bool locked) { return locked; });
        for (const int body : joint.body) {
            if (locks && static_cast<std::size_t>(body) < inertias.size()) {
                has_rotation_rows_[static_cast<std::size_t>(body)] = true;
            }
        }
    }
    stops_.clear();
    stop_constraints_.clear();
    remembered_holds_.assign(inertias.size(), {});
}

void Configuration::start_anew(std::span<const PrescribedMotion> prescribed) {
    bodies_.start_anew(prescribed, memory_count());
    joint_places_version_ = 0;
    holds_.assign(body_count(), {});
    holds_any_ = false;
    joints_.rest(holds_);
    for (std::size_t i = 0; i < prescribed.size(); ++i) {
        set_prescribed(i, prescribed[i]);
    }
    assign_stops();
}

void Configuration::set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept {
    bodies_.set_prescribed(index, motion);
    joints_.set_still(static_cast<int>(body_count() + index), !motion.moves(), bodies_.frames());
}

bool Configuration::hold_as_remembered(std::span<const double> y) noexcept {
    if (!joints_.has_loops()) {
        return false;
    }
    joints_.write_holds(memory(y), remembered_holds_);
    bool changed = false;
    holds_any_ = false;
    for (std::size_t i = 0; i < body_count(); ++i) {
        if (holds_[i] != remembered_holds_[i]) {
            holds_[i] = remembered_holds_[i];
            bodies_.hold(i, holds_[i]);
            changed = true;
        }
        holds_any_ = holds_any_ || holds_[i].any();
    }
    if (changed) {
        joints_.rest(holds_);
    }
    return changed;
}

void Configuration::hold(std::span<const BodyHold> holds, std::span<double> y) noexcept {
    joints_.remember_holds(holds, memory(y));
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        if (holds[i].place) {
            store(p + kVelocity, glm::dvec3(0.0));
        }
        if (holds[i].turn) {
            store(p + kMomentum, glm::dvec3(0.0));
        }
    }
    hold_as_remembered(y);
}

void Configuration::let_go() noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        bodies_.hold(i, {});
    }
}

void Configuration::hold_again() noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        bodies_.hold(i, holds_[i]);
    }
}

void Configuration::set_stops(std::vector<JointStop> stops) {
    stops_ = std::move(stops);
    stop_constraints_.clear();
    for (JointStop& stop : stops_) {
        stop.joint.work = joints_.work();
        stop_constraints_.push_back(make_stop_constraint(stop, bodies_.inertias()));
    }
    assign_stops();
}

// Assigns no contacts, and stops with empty memory.
void Configuration::assign_stops() {
    for (UnilateralConstraint& stop : stop_constraints_) {
        stop.memory = {};
    }
    contacts_.assign({}, stop_constraints_, bodies_.size(), joints_.rows(), false);
}

void Configuration::set_contacts(std::span<const UnilateralConstraint> contacts, std::span<const SolidPair> solids,
                                 std::span<const PrescribedMotion> touched, bool same) {
    solids_.assign(solids.begin(), solids.end());
    bodies_.set_touched(touched, contacts.size());
    for (std::size_t i = 0; i < stops_.size(); ++i) {
        stop_constraints_[i].memory = contacts_[contacts_.pairs() + i].memory;
    }
    contacts_.assign(contacts, stop_constraints_, bodies_.size(), joints_.rows(),
                     same && contacts.size() == contacts_.pairs());
}

void Configuration::place(double t, std::span<const double> y) noexcept {
    const std::uint64_t before = bodies_.version();
    bodies_.place(t, y);
    if (before != bodies_.version()) {
        const auto is_on_path = [](const PrescribedMotion& motion) { return motion.path != nullptr; };
        const auto count = std::ranges::count_if(bodies_.prescribed(), is_on_path) +
                           std::ranges::count_if(bodies_.touched(), is_on_path);
        contacts_.work().add_inner(kWorkOfPath, static_cast<std::size_t>(count));
    }
    if (joint_places_version_ != bodies_.version()) {
        if (!joints_.empty()) {
            joints_.linearise(bodies_.frames(), bodies_.memory());
        }
        joint_places_version_ = bodies_.version();
        row_places_version_ = 0;
    }
    if (row_places_version_ != bodies_.version() || rows_version_ != contacts_.rows_version()) {
        if (!contacts_.empty() && contacts_.involve_in_contact()) {
            contacts_.linearise(bodies_.all_frames(), bodies_.memory(), joints_);
        }
        row_places_version_ = bodies_.version();
        rows_version_ = contacts_.rows_version();
    }
}

void Configuration::involve(std::span<const int> constraints) noexcept {
    contacts_.involve(constraints);
    contacts_.linearise(bodies_.all_frames(), bodies_.memory(), joints_);
}

bool Configuration::find_points(double t, std::span<const double> y, double margin) noexcept {
    bool any_gone = false;
    for (const SolidPair& pair : solids_) {
        any_gone |= find_points_of(pair, t, y, margin);
    }
    return any_gone;
}

// A hit within h may pass on twice the speed of who is fastest.
void Configuration::find_points_ahead(double t, std::span<const double> y, double h, double gravity) noexcept {
    const auto closing = [&](const SolidPair& pair) {
        return closing_speed(pair, velocity_of(pair, 0), velocity_of(pair, 1));
    };
    double fastest = 0.0;
    for (const SolidPair& pair : solids_) {
        fastest = std::max(fastest, closing(pair));
    }
    for (const SolidPair& pair : solids_) {
        const double speed = closing(pair) + 2.0 * (fastest + gravity * h);
        find_points_of(pair, t, y, kNear * scale_.length() + h * speed);
    }
}

bool Configuration::find_points_of(const SolidPair& pair, double t, std::span<const double> y, double margin) noexcept {
    contacts_.work().add(pair.work, 1);
    const std::span<UnilateralConstraint> points = contacts_.points(pair.first, pair.count);
    const auto holds = [](const UnilateralConstraint& each) { return each.mode() != ContactMode::Separate; };
    const double least = std::ranges::any_of(points, holds) ? kSettled * scale_.length() : 0.0;
    if (detail::find_points(pair, bodies_.frame_at(pair.end[0].body, t, y), bodies_.frame_at(pair.end[1].body, t, y),
                            std::max(margin, least), points)) {
        contacts_.note_changed_modes();
        return true;
    }
    return false;
}

Twist Configuration::velocity_of(const SolidPair& pair, std::size_t e) const noexcept {
    const ContactEnd& end = pair.end[e];
    return end.is_dynamic ? bodies_.velocities()[end.body] : bodies_.motion(end.body).velocity_at(bodies_.time());
}

bool Configuration::meet_within(const UnilateralConstraint& constraint, double h) noexcept {
    const SolidPair& pair = solids_of(constraint);
    contacts_.work().add(pair.work, 1);
    const std::span<const BodyFrame> frames = bodies_.all_frames();
    return detail::meet_within(pair, {frames[pair.end[0].body], frames[pair.end[1].body]},
                               {velocity_of(pair, 0), velocity_of(pair, 1)}, h);
}

double Configuration::distance_from_border(std::size_t constraint, double t, std::span<const double> y) const noexcept {
    const UnilateralConstraint& c = contacts_[constraint];
    const SolidPair& pair = solids_of(c);
    const BodyFrame first = bodies_.frame_at(pair.end[0].body, t, y);
    const BodyFrame second = bodies_.frame_at(pair.end[1].body, t, y);
    const glm::dvec3 places = glm::abs(first.position) + glm::abs(second.position);
    const double hair = kGapFloor * scale_.length() +
                        kRoundingsOfGap * std::numeric_limits<double>::epsilon() * (places.x + places.y + places.z);
    return detail::distance_from_border(pair, c, first, second) + hair;
}

double Configuration::event_gap(std::size_t constraint, double t, std::span<const double> y) const noexcept {
    const UnilateralConstraint& c = contacts_[constraint];
    if (!c.is_of_solids()) {
        return gap(constraint, t, y);
    }
    const SolidPair& pair = solids_of(c);
    if (constraint != pair.first) {
        return std::numeric_limits<double>::infinity();
    }
    return separation_of(pair, bodies_.frame_at(pair.end[0].body, t, y), bodies_.frame_at(pair.end[1].body, t, y))
        .distance;
}

double Configuration::gap(std::size_t constraint, double t, std::span<const double> y) const noexcept {
    const UnilateralConstraint& c = contacts_[constraint];
    if (c.is_absent) {
        return std::numeric_limits<double>::infinity();
    }
    if (c.stop != nullptr) {
        return stop_gap(*c.stop, bodies_.frame_at(c.end[1].body, t, y), bodies_.frame_at(c.end[0].body, t, y),
                        memory(y));
    }
    std::array<glm::dvec3, 2> point;
    glm::dvec3 normal(0.0);
    for (std::size_t e = 0; e < 2; ++e) {
        const Feature& feature = c.features[e];
        point[e] = bodies_.position_at(c.end[e].body, t, y);
        if (feature.turns()) {
            const glm::dmat3 rotation = bodies_.rotation_at(c.end[e].body, t, y);
            point[e] += rotation * feature.point;
            normal = rotation * feature.normal;
        }
    }
    return gap_between(c.features, point[0], point[1], normal);
}

void Configuration::place_joints(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept {
    joints_.place(frames, memory);
    joint_places_version_ = 0;
}

void Configuration::linearise_joints(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept {
    joints_.linearise(frames, memory);
    joint_places_version_ = 0;
}

void Configuration::linearise_joints_ridged(std::span<const double> memory, double ridge) noexcept {
    joints_.linearise_ridged(bodies_.frames(), memory, ridge);
    joint_places_version_ = 0;
}

void Configuration::linearise_joints_damped(std::span<const double> memory, double damping) noexcept {
    joints_.linearise_damped(bodies_.frames(), memory, damping);
    joint_places_version_ = 0;
}

void Configuration::choose_joint_rows(std::span<double> memory) noexcept {
    joints_.linearise_choosing(bodies_.frames(), memory);
    joint_places_version_ = 0;
}

} // namespace substep::detail
