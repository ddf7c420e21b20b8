// The parameters of a force field, one by one, for a panel to edit.
#include "force_parameters.h"

#include <utility>

#include "substep/engine/buoyancy.h"
#include "substep/engine/electromagnetism.h"
#include "substep/engine/forces.h"
#include "substep/engine/springs.h"

namespace substep {

namespace {

// Each shows the parameters of one description and says whether one changed. No short-circuit: all are drawn.

bool edit(PointGravityDesc& desc, ParameterEditor& editor) {
    bool changed = editor.vector({"centre", "centre", "m", "The point that pulls."}, desc.centre);
    changed |= editor.number({"strength", "G M", "m\xc2\xb3/s\xc2\xb2", "Positive attracts, negative repels."},
                             desc.gravitational_parameter);
    changed |= editor.number(
        {"softening", "softening", "m", "The length below which the pull no longer grows.", 0.0, 0.1}, desc.softening);
    return changed;
}

bool edit(MutualGravityDesc& desc, ParameterEditor& editor) {
    bool changed = editor.number({"strength", "G", "m\xc2\xb3/(kg s\xc2\xb2)", "The gravitational constant.", 0.0},
                                 desc.gravitational_constant);
    changed |= editor.number(
        {"softening", "softening", "m", "The length below which the pull no longer grows.", 0.0, 0.1}, desc.softening);
    return changed;
}

void say_wind(bool has_wind, ParameterEditor& editor) {
    if (has_wind) editor.fixed("wind", "given as a function");
}

bool edit(DragDesc& desc, ParameterEditor& editor) {
    bool changed =
        editor.number({"linear", "linear", "kg/s", "Stokes: the force grows with the speed.", 0.0, 0.1}, desc.linear);
    changed |= editor.number(
        {"quadratic", "quadratic", "kg/m", "1/2 rho A c_d: the force grows with the square of the speed.", 0.0, 0.1},
        desc.quadratic);
    changed |= editor.number({"angular_linear", "turning, lin.", "kg m\xc2\xb2/s", "Against the rotation.", 0.0, 0.01},
                             desc.angular_linear);
    changed |= editor.number({"angular_quadratic", "turning, qu.", "kg m\xc2\xb2",
                              "Against the rotation, by the square of its rate.", 0.0, 0.01},
                             desc.angular_quadratic);
    say_wind(static_cast<bool>(desc.wind), editor);
    return changed;
}

bool edit(PlateLiftDesc& desc, ParameterEditor& editor) {
    bool changed = editor.vector({"normal", "normal", "", "Of the plate, in the body's frame."}, desc.normal);
    changed |= editor.vector({"point", "pressure at", "m", "Centre of pressure, in the body's frame."}, desc.point);
    changed |= editor.number({"area", "area", "m\xc2\xb2", "Of the plate.", 1e-9, 0.1}, desc.area);
    changed |= editor.number({"density", "density", "kg/m\xc2\xb3", "Of the medium.", 0.0}, desc.density);
    changed |= editor.number({"coefficient", "lift slope", "",
                              "Per sine of the angle of attack; 2 pi for a thin "
                              "aerofoil.",
                              0.0},
                             desc.normal_coefficient);
    say_wind(static_cast<bool>(desc.wind), editor);
    return changed;
}

bool edit(RotatingFrameDesc& desc, ParameterEditor& editor) {
    if (desc.rotation) {
        editor.fixed("rotation", "given as a function");
        return false;
    }
    bool changed = editor.vector({"rate", "rate", "rad/s", "Of the world's frame against an inertial one.",
                                  -std::numeric_limits<double>::infinity(), 0.1},
                                 desc.rate);
    changed |= editor.vector({"centre", "centre", "m", "A point of the axis."}, desc.centre);
    return changed;
}

bool edit(SpringDesc& desc, ParameterEditor& editor) {
    bool changed = editor.number({"stiffness", "stiffness", "N/m", "0 leaves the damper.", 0.0}, desc.stiffness);
    changed |= editor.number({"rest_length", "rest length", "m", "Without a force.", 0.0, 0.1}, desc.rest_length);
    changed |=
        editor.number({"damping", "damping", "N s/m", "Against the rate of its length.", 0.0, 0.1}, desc.damping);
    return changed;
}

bool edit(TorsionSpringDesc& desc, ParameterEditor& editor) {
    bool changed = editor.number({"stiffness", "stiffness", "N m/rad", "0 leaves the damper.", 0.0}, desc.stiffness);
    changed |= editor.number({"rest_angle", "rest angle", "rad", "Without a torque; within half a turn.", -3.14, 0.1},
                             desc.rest_angle);
    changed |=
        editor.number({"damping", "damping", "N m s/rad", "Against the rate of its angle.", 0.0, 0.1}, desc.damping);
    return changed;
}

bool edit(LorentzDesc& desc, ParameterEditor& editor) {
    bool changed = editor.number({"charge", "charge", "C", "Of each body that it acts on."}, desc.charge);
    changed |=
        editor.vector({"electric", "electric", "V/m", "The uniform part of the electric field."}, desc.electric_field);
    changed |=
        editor.vector({"magnetic", "magnetic", "T", "The uniform part of the magnetic field."}, desc.magnetic_field);
    if (desc.electric_field_at) editor.fixed("electric", "and a function of place");
    if (desc.magnetic_field_at) editor.fixed("magnetic", "and a function of place");
    return changed;
}

bool edit(DipolePairDesc& desc, ParameterEditor& editor) {
    bool changed =
        editor.vector({"moment_a", "moment a", "A m\xc2\xb2", "In the frame of the first body."}, desc.moment_a);
    changed |=
        editor.vector({"moment_b", "moment b", "A m\xc2\xb2", "In the frame of the second body."}, desc.moment_b);
    return changed;
}

bool edit(Liquid& liquid, ParameterEditor& editor) {
    bool changed = editor.vector({"up", "up", "", "Away from the liquid."}, liquid.up);
    changed |= editor.number({"surface", "surface", "m", "Distance from the origin, upwards."}, liquid.surface);
    changed |= editor.number({"density", "density", "kg/m\xc2\xb3", "Of the liquid.", 0.0, 100.0}, liquid.density);
    changed |= editor.number({"gravity", "gravity", "m/s\xc2\xb2", "That weighs the liquid.", 0.0}, liquid.gravity);
    return changed;
}

// For a field that is made from its description.
template <class Field>
bool edit_as(const ForceField& field, ParameterEditor& editor, FieldMaker& maker) {
    const auto* const known = dynamic_cast<const Field*>(&field);
    if (known == nullptr) return false;
    auto desc = known->desc();
    if (edit(desc, editor)) maker = [desc] { return std::make_unique<Field>(desc); };
    return true;
}

template <class... Fields>
bool edit_as_one_of(const ForceField& field, ParameterEditor& editor, FieldMaker& maker) {
    return (edit_as<Fields>(field, editor, maker) || ...);
}

} // namespace

FieldMaker edit_parameters(const ForceField& field, ParameterEditor& editor) {
    FieldMaker maker;
    if (edit_as_one_of<PointGravity, MutualGravity, Drag, PlateLift, RotatingFrame, Spring, TorsionSpring, Lorentz,
                       DipolePair>(field, editor, maker)) {
        return maker;
    }
    if (const auto* const gravity = dynamic_cast<const UniformGravity*>(&field)) {
        glm::dvec3 g = gravity->g();
        if (editor.vector({"g", "g", "m/s\xc2\xb2", "Pulls every body alike."}, g)) {
            maker = [g] { return std::make_unique<UniformGravity>(g); };
        }
    } else if (const auto* const dipole = dynamic_cast<const DipoleInField*>(&field)) {
        glm::dvec3 moment = dipole->moment();
        glm::dvec3 magnetic = dipole->field();
        bool changed = editor.vector({"moment", "moment", "A m\xc2\xb2", "In the frame of each body."}, moment);
        changed |= editor.vector({"magnetic", "magnetic", "T", "The uniform field, in the world."}, magnetic);
        if (changed) maker = [=] { return std::make_unique<DipoleInField>(moment, magnetic); };
    } else if (const auto* const floating = dynamic_cast<const SphereBuoyancy*>(&field)) {
        Liquid liquid = floating->liquid();
        double radius = floating->radius();
        bool changed = edit(liquid, editor);
        changed |= editor.number({"radius", "radius", "m", "Of the sphere that displaces.", 1e-9, 0.1}, radius);
        if (changed) {
            maker = [=, centre = floating->centre()] {
                return std::make_unique<SphereBuoyancy>(liquid, radius, centre);
            };
        }
    } else if (const auto* const box = dynamic_cast<const BoxBuoyancy*>(&field)) {
        Liquid liquid = box->liquid();
        if (edit(liquid, editor)) {
            maker = [=, half = box->half_sizes(), frame = box->frame()] {
                return std::make_unique<BoxBuoyancy>(liquid, half, frame);
            };
        }
    } else if (const auto* const some = dynamic_cast<const OnBodies*>(&field)) {
        if (const FieldMaker inner = edit_parameters(some->field(), editor)) {
            maker = [inner, chosen = std::vector<BodyId>(some->chosen().begin(), some->chosen().end())] {
                return std::make_unique<OnBodies>(chosen, inner());
            };
        }
    } else if (const auto* const timed = dynamic_cast<const TimedField*>(&field)) {
        editor.fixed("acts", std::to_string(timed->begin()) + " to " + std::to_string(timed->end()) + " s");
        if (const FieldMaker inner = edit_parameters(timed->field(), editor)) {
            maker = [inner, begin = timed->begin(), end = timed->end()] {
                return std::make_unique<TimedField>(begin, end, inner());
            };
        }
    } else {
        editor.fixed("force", "given as a function");
    }
    return maker;
}

} // namespace substep
