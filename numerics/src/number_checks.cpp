// Messages of refused numbers.
#include "substep/numerics/number_checks.h"

#include <sstream>
#include <stdexcept>

namespace substep::detail {
namespace {

[[noreturn]] void refuse(std::string_view what, double value, std::string_view unit, std::string_view rule) {
    std::ostringstream sentence;
    sentence << what << " is " << value << (unit.empty() ? "" : " ") << unit << "; it must be " << rule << ".";
    throw std::invalid_argument(sentence.str());
}

} // namespace

void require_finite(std::string_view what, double value, std::string_view unit) {
    if (!is_finite(value)) {
        refuse(what, value, unit, "finite");
    }
}

void require_not_negative(std::string_view what, double value, std::string_view unit) {
    if (!is_finite(value) || !(value >= 0.0)) {
        refuse(what, value, unit, "finite and not negative");
    }
}

void require_positive(std::string_view what, double value, std::string_view unit) {
    if (!is_finite(value) || !(value > 0.0)) {
        refuse(what, value, unit, "positive and finite");
    }
}

} // namespace substep::detail
