// Lowers the picture's resolution while a machine without a graphics card cannot keep up.
#include "quality_governor.h"

#include <algorithm>
#include <string_view>

namespace substep {

namespace {

constexpr int kSettling = 10;      // frames after a change that do not count: buffers and shaders are made
constexpr int kMeasured = 20;      // frames whose mean is judged
constexpr float kStep = 0.84f;     // of each side: 30 % fewer pixels
constexpr float kSmallest = 0.59f; // three steps

} // namespace

bool is_software_renderer(const char* name) noexcept {
    const std::string_view renderer = name != nullptr ? name : "";
    for (const std::string_view software : {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software"}) {
        if (renderer.find(software) != std::string_view::npos) return true;
    }
    return false;
}

float QualityGovernor::judge(double frame_seconds, float scale) noexcept {
    if (++frames_ > kSettling) sum_ += frame_seconds;
    if (frames_ < kSettling + kMeasured) return scale;
    const double mean = sum_ / kMeasured;
    sum_ = 0.0;
    frames_ = 0;

    // Up again only with so much room that it is not the way down once more.
    if (mean > goal_) return std::max(kSmallest, scale * kStep);
    if (mean < 0.45 * goal_) return std::min(1.0f, scale / kStep);
    return scale;
}

} // namespace substep
