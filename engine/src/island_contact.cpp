// Contacts inside an island's derivative, and the manifold that they hold it on.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr int kMaxIterations = 20;
constexpr double kSlow = 1e-3; // m/s, for reports only

// The contact point's second coordinate pair: a vector along the two tangents.
glm::dvec2 across(const ConstraintPlace& place, const glm::dvec3& v) noexcept {
    return {glm::dot(place.row[1].linear, v), glm::dot(place.row[2].linear, v)};
}

} // namespace

void IslandSystem::set_contacts(std::span<const UnilateralConstraint> contacts, bool same) {
    for (std::size_t i = 0; i < stops_.size(); ++i) {
        stop_constraints_[i].memory = stop_memory(i);
    }
    const bool as_before = same && contacts.size() == contacts_.pairs();
    contacts_.assign(contacts, stop_constraints_, states_.size(), joints_.rows());
    size_contact_memory();
    if (!as_before) {
        forget_held();
    }
    if (!same) {
        model_changed();
    }
}

void IslandSystem::make_room_for_contacts(std::span<const UnilateralConstraint> most) {
    set_contacts(most, true);
    step_contacts_.resize(most.size());
}

void IslandSystem::set_stops(std::vector<JointStop> stops) {
    stops_ = std::move(stops);
    stop_constraints_.clear();
    for (const JointStop& stop : stops_) {
        stop_constraints_.push_back(make_stop_constraint(stop, inertias_));
    }
    place_stops();
}

// No contacts, and the stops with nothing to remember.
void IslandSystem::place_stops() {
    for (UnilateralConstraint& stop : stop_constraints_) {
        stop.memory = {};
    }
    contacts_.assign({}, stop_constraints_, states_.size(), joints_.rows());
    if (!stops_.empty()) {
        size_contact_memory();
        forget_held();
        model_changed();
    }
}

void IslandSystem::size_contact_memory() {
    places_ready_ = false;
    held_.reserve(kMostConstraints);
    asked_.reserve(kMostConstraints);
    held_y_.reserve(size());
    transitions_.resize(std::max(transitions_.size(), contacts_.size()));
    plastic_.resize(std::max(plastic_.size(), contacts_.size()));
    step_contacts_.clear();
    step_contacts_.reserve(contacts_.pairs());
    step_stops_.clear();
    step_stops_.reserve(stops_.size());
    limit_gaps_.reserve(stops_.size());
    if (contacts_.empty()) {
        return;
    }
    before_impact_.resize(size());
    impacts_.reserve(64);
    stage_times_.resize(kMostStageTimes);
    touching_.reserve(std::min<std::size_t>(contacts_.size(), kMostSolved));
    const std::size_t most = std::min<std::size_t>(contacts_.size(), kMostConstraints);
    if (most > restitution_.size()) {
        restitution_.resize(most);
        offset_.resize(most);
        stage_range_.resize(most);
        stage_start_.resize(most);
        rates_.resize(3 * most);
        approach_.resize(3 * most);
    }
}

void IslandSystem::set_contact_handling(bool velocity_level, bool holds_modes) noexcept {
    // What modes held under another method is answered anew, too.
    const bool anew = (velocity_level_ && !velocity_level) || (holds_modes_ && !holds_modes && contacts_.in_contact());
    modes_wanted_ = !contacts_.empty() && (modes_wanted_ || anew);
    velocity_level_ = velocity_level;
    actuators_.use_sides(!velocity_level);
    holds_modes_ = holds_modes;
    for (std::size_t i = 0; velocity_level && i < contacts_.size(); ++i) {
        places_ready_ = places_ready_ && contacts_[i].mode() == ContactMode::Separate;
        forget_held();
        contacts_[i].memory.slip_direction = glm::dvec3(0.0);
        contacts_[i].memory.floor = 0.0;
        contacts_[i].set_mode(ContactMode::Separate);
    }
}

void IslandSystem::set_contact_resolution(double length, double gravity) noexcept {
    contact_length_ = length;
    contact_gravity_ = std::max(gravity, 1.0);
}

// Speed of a slip that friction stops within a tenth of the resolution: v^2 / (2 mu g), or v^2 / (2 F w) in a joint.
double IslandSystem::still_slip(std::size_t involved) const noexcept {
    const UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(contacts_.involved()[involved])];
    if (contact.kind == ConstraintKind::Friction) {
        const int row = static_cast<int>(3 * involved + 1);
        return std::sqrt(0.2 * contact.stop->bound * contacts_.problem().a(row, row) * contact_length_ / contact.lever);
    }
    return std::sqrt(0.2 * contact.surface.friction * contact_gravity_ * contact_length_);
}

// Direction that friction acts against: that of the slip. Past a stop (stages and dense output go there) it is that of
// before, so that the derivative stays smooth; and slips too slow to matter turn smoothly too.
glm::dvec2 IslandSystem::slip_direction(std::size_t involved, const glm::dvec2& slip) const noexcept {
    const UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(contacts_.involved()[involved])];
    if (contact.kind == ConstraintKind::Friction) {
        return {contact.memory.slip_direction.x < 0.0 ? -1.0 : 1.0, 0.0};
    }
    glm::dvec2 reference = across(contacts_.involved_place(involved), contact.memory.slip_direction);
    const double length = glm::length(reference);
    reference = length > 0.0 ? reference / length : glm::dvec2(1.0, 0.0);
    const double speed = glm::length(slip);
    const double still = still_slip(involved);
    if (speed > still) {
        return slip * ((glm::dot(slip, reference) < 0.0 ? -1.0 : 1.0) / speed);
    }
    const glm::dvec2 sideways(-reference.y, reference.x);
    const double sine = still > 0.0 ? glm::dot(slip, sideways) / still : 0.0;
    return std::sqrt(std::max(0.0, 1.0 - sine * sine)) * reference + sine * sideways;
}

// Forces of the contacts that slide or stick, with what the joints add because of them.
void IslandSystem::solve_contacts(std::span<const double> y) noexcept {
    ConeProblem& problem = contacts_.problem();
    prepare_accelerations(y);
    contacts_.velocities(velocities_, rates_);
    std::array<double, 3 * kMostConstraints> b; // as far as there are contacts: the rest is never read
    contacts_.accelerations(velocities_, accelerations_, b);
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(contacts_.involved()[k])];
        const bool slides = contact.mode() == ContactMode::Slide;
        problem.mode(i) = contact.mode();
        problem.law(i) = {
            .friction = contact.surface.friction, .static_friction = contact.surface.static_friction, .moves = slides};
        if (contact.kind == ConstraintKind::Friction) {
            problem.law(i).load = contact.stop->bound;
        }
        if (slides) {
            problem.law(i).direction = slip_direction(k, {rates_[3 * k + 1], rates_[3 * k + 2]});
        }
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = b[3 * k + static_cast<std::size_t>(r)];
        }
    }
    if (!problem.solve_given()) {
        // Friction presses harder than it lets go (Painleve): no forces, and the step's error says that this is no
        // path. Steps that are short enough find the guard before this; others end where they began.
        painleve_ = true;
        wrenches_[0].force.x = std::numeric_limits<double>::quiet_NaN();
        return;
    }
    contacts_.add_forces(wrenches_);
    if (!joints_.empty()) {
        std::ranges::fill(residual_, 0.0);
        contacts_.add_joint_reactions(residual_);
        joints_.add_forces(residual_, wrenches_);
        for (std::size_t row = 0; row < lambda_.size(); ++row) {
            lambda_[row] += residual_[row];
            joint_forces_[row] = lambda_[row];
        }
    }
}

// Solves for what makes the given rates zero: the normal one of slides, all three of sticks.
bool IslandSystem::solve_without_friction(std::span<const double> rates) noexcept {
    ConeProblem& problem = contacts_.problem();
    for (int i = 0; i < problem.size(); ++i) {
        problem.law(i) = {};
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = rates[static_cast<std::size_t>(3 * i + r)];
        }
    }
    return problem.solve_given();
}

// Mass-weighted Newton on the gaps of contacts that hold, joints kept to first order and closed again.
bool IslandSystem::close_gaps(double t, std::span<double> y) noexcept {
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        prepare_places(t, y);
        const auto involved = contacts_.involved();
        double scale = 1.0;
        double worst = 0.0;
        std::ranges::fill(rates_, 0.0);
        for (std::size_t k = 0; k < involved.size(); ++k) {
            const ConstraintPlace& place = contacts_.involved_place(k);
            const glm::dvec3 far = glm::abs(place.point);
            scale = std::max({scale, far.x, far.y, far.z});
            worst = std::max(worst, std::abs(place.gap));
            rates_[3 * k] = place.gap;
            // The normal row alone.
            contacts_.problem().mode(static_cast<int>(k)) =
                contacts_[static_cast<std::size_t>(involved[k])].has_gap() ? ContactMode::Slide : ContactMode::Separate;
        }
        if (worst <= 8.0 * std::numeric_limits<double>::epsilon() * scale) {
            return true;
        }
        if (!(worst <= std::numeric_limits<double>::max()) || !solve_without_friction(rates_)) {
            return false;
        }
        std::ranges::fill(reactions_, Wrench{});
        if (!joints_.empty()) {
            std::ranges::fill(lambda_, 0.0);
            contacts_.add_joint_reactions(lambda_);
            joints_.add_forces(lambda_, reactions_);
        }
        contacts_.add_forces(reactions_);
        for (std::size_t i = 0; i < body_count(); ++i) {
            displace(y.data() + i * kNumbersPerBody, reactions_[i].force * inertias_[i].inverse_mass,
                     frames_[i].inverse_inertia * reactions_[i].torque);
        }
        if (!joints_.empty() && !close_joints(t, y)) {
            return false;
        }
    }
    return false;
}

void IslandSystem::project_contact_momenta(double t, std::span<double> y) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    contacts_.velocities(velocities_, rates_);
    for (std::size_t k = 0; k < contacts_.involved().size(); ++k) {
        contacts_.problem().mode(static_cast<int>(k)) =
            contacts_[static_cast<std::size_t>(contacts_.involved()[k])].mode();
    }
    if (solve_without_friction(rates_)) {
        add_contact_impulses(y);
    }
}

// Impulses R^T x, and those of the joints because of them.
void IslandSystem::add_contact_impulses(std::span<double> y) noexcept {
    std::ranges::fill(lambda_, 0.0);
    if (!joints_.empty()) {
        contacts_.add_joint_reactions(lambda_);
    }
    std::ranges::fill(reactions_, Wrench{});
    joints_.add_forces(lambda_, reactions_);
    contacts_.add_forces(reactions_);
    add_reactions(y);
}

void IslandSystem::report_contacts(double t, std::span<const double> y, std::vector<Contact>& contacts) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    const std::span<const HeldContact> held =
        contacts_.involved().empty() ? std::span<const HeldContact>{} : held_contacts(t, y);
    for (std::size_t i = 0; i < contacts_.pairs(); ++i) {
        UnilateralConstraint& contact = contacts_[i];
        const ConstraintPlace place = contacts_.place(i, t, frames_, prepared_memory());
        contact.memory.force = velocity_level_ ? contact.memory.force : glm::dvec3(0.0);
        const auto involved = std::ranges::find(contacts_.involved(), static_cast<int>(i));
        if (involved != contacts_.involved().end()) {
            contact.memory.force += held[static_cast<std::size_t>(involved - contacts_.involved().begin())].force;
        }
        const auto twist = [&](const ContactEnd& end) {
            return end.body >= 0 ? velocities_[static_cast<std::size_t>(end.body)] : end.motion.velocity;
        };
        glm::dvec3 slip(0.0);
        for (std::size_t r = 1; r < 3; ++r) {
            slip += place.row[r].linear * place.row[r].rate(twist(contact.end[0]), twist(contact.end[1]));
        }
        // Velocity steps know no modes: what they press together without slip to speak of is said to stick.
        ContactMode mode = contact.mode();
        if (velocity_level_ && contact.memory.force != glm::dvec3(0.0)) {
            mode = glm::length(slip) > kSlow ? ContactMode::Slide : ContactMode::Stick;
        }
        contacts.push_back({contact.id[0], contact.id[1], place.point, place.row[0].linear, place.gap, mode,
                            contact.memory.force, slip});
    }
}

} // namespace substep::detail
