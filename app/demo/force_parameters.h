// The parameters of a force field, one by one, for a panel to edit.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "substep/engine/force_field.h"

namespace substep {

/// What the user sees of a parameter.
struct ParameterText {
    const char* name;  ///< lower-case, unique within a field
    const char* label; ///< shorter than a control
    const char* unit;
    const char* tip;
    double least = -std::numeric_limits<double>::infinity();
    double typical = 1.0; ///< what a small change is compared with
};

/// Shows and edits values; each function returns whether the user changed it.
class ParameterEditor {
public:
    virtual ~ParameterEditor() = default;
    virtual bool number(const ParameterText& text, double& value) = 0;
    virtual bool vector(const ParameterText& text, glm::dvec3& value) = 0;
    /// A part that was given as a function, and cannot be edited.
    virtual void fixed(const char* label, const std::string& why) = 0;
};

/// Makes force fields that are equal to one another.
using FieldMaker = std::function<std::unique_ptr<ForceField>()>;

/// Shows every parameter of a field of the library; returns what makes the changed field, or nothing where nothing was
/// changed. A maker throws std::invalid_argument for values out of range.
FieldMaker edit_parameters(const ForceField& field, ParameterEditor& editor);

} // namespace substep
