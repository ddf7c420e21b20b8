// The whole engine in one include.
#pragma once

#include "substep/engine/body.h"
#include "substep/engine/body_integrator.h"
#include "substep/engine/buoyancy.h"
#include "substep/engine/contact.h"
#include "substep/engine/electromagnetism.h"
#include "substep/engine/energy.h"
#include "substep/engine/force_field.h"
#include "substep/engine/forces.h"
#include "substep/engine/frame_clock.h"
#include "substep/engine/jobs.h"
#include "substep/engine/joint.h"
#include "substep/engine/material.h"
#include "substep/engine/shape.h"
#include "substep/engine/snapshot.h"
#include "substep/engine/springs.h"
#include "substep/engine/world.h"
