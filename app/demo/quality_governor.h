// Lowers the picture's resolution while a machine without a graphics card cannot keep up.
#pragma once

#include "renderer.h"

namespace substep {

/// Whether pictures are computed by the processor, by the name that the driver gives itself (GL_RENDERER).
bool is_software_renderer(const char* name) noexcept;

/// Watches how long frames take and moves the scale of the picture between 0.59 and 1.
class QualityGovernor {
public:
    /// The goal (s) is the longest frame time that is good enough.
    explicit QualityGovernor(double goal) : goal_(goal) {}

    /// Takes the duration of one frame (s). Returns the scale to use from now on, given the present one.
    float judge(double frame_seconds, float scale) noexcept;

private:
    double goal_;
    double sum_ = 0.0; // s, of the frames that count since the last judgement
    int frames_ = 0;   // since the last judgement
};

} // namespace substep
