// A body as one end of a contact.
#pragma once

#include "bodies/body_store.h"
#include "contact/unilateral.h"

namespace substep::detail {

/// Makes a body's end of a contact; `number` is that of a dynamic body in its island, -1 for one that follows `motion`.
ContactEnd make_contact_end(const BodyRecord& body, int number, const PrescribedMotion& motion) noexcept;

} // namespace substep::detail
