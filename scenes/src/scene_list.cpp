// THE list of scenes: declare the function of a new scene's .cpp, and name it in the table below.
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "substep/scenes/scene.h"

namespace substep {
namespace detail {

SceneInfo pendulum_scene();
SceneInfo physical_pendulum_scene();
SceneInfo pendulum_wave_scene();
SceneInfo double_pendulum_scene();
SceneInfo spherical_pendulum_scene();
SceneInfo foucault_scene();
SceneInfo tumbling_body_scene();
SceneInfo free_top_scene();
SceneInfo dzhanibekov_scene();
SceneInfo symmetric_top_scene();
SceneInfo heavy_top_scene();
SceneInfo steady_precession_scene();
SceneInfo sleeping_top_scene();
SceneInfo kepler_scene();
SceneInfo two_stars_scene();
SceneInfo figure_eight_scene();
SceneInfo cyclotron_scene();
SceneInfo crossed_fields_scene();
SceneInfo gyroscope_scene();
SceneInfo projectile_scene();
SceneInfo linear_drag_scene();
SceneInfo quadratic_drag_scene();
SceneInfo terminal_speed_scene();
SceneInfo chain_scene();
SceneInfo folded_chain_scene();
SceneInfo rotating_hoop_scene();
SceneInfo shaken_pendulum_scene();
SceneInfo tautochrone_scene();
SceneInfo torsion_pendulum_scene();
SceneInfo damped_oscillators_scene();
SceneInfo resonance_scene();
SceneInfo beats_scene();
SceneInfo normal_modes_scene();
SceneInfo atwood_scene();
SceneInfo slider_crank_scene();
SceneInfo four_bar_scene();
SceneInfo bennett_scene();
SceneInfo stops_scene();
SceneInfo bouncing_ball_scene();
SceneInfo tumbling_cube_scene();
SceneInfo gongs_scene();
SceneInfo shape_drops_scene();
SceneInfo tower_scene();
SceneInfo pyramid_scene();
SceneInfo dominoes_scene();
SceneInfo arch_scene();
SceneInfo card_house_scene();
SceneInfo thousand_scene();
SceneInfo avalanche_scene();
SceneInfo drum_scene();
SceneInfo ragdolls_scene();
SceneInfo sliding_boxes_scene();
SceneInfo belt_scene();
SceneInfo lift_scene();
SceneInfo turntable_scene();
SceneInfo slide_to_roll_scene();
SceneInfo incline_scene();
SceneInfo level_throw_scene();
SceneInfo oblique_throw_scene();
SceneInfo shaken_plate_scene();
SceneInfo head_on_collision_scene();
SceneInfo oblique_collision_scene();

namespace {

std::span<const SceneInfo> table() {
    static const std::array scenes{
        pendulum_scene(),
        physical_pendulum_scene(),
        pendulum_wave_scene(),
        double_pendulum_scene(),
        spherical_pendulum_scene(),
        foucault_scene(),
        rotating_hoop_scene(),
        shaken_pendulum_scene(),
        tautochrone_scene(),
        tumbling_body_scene(),
        free_top_scene(),
        dzhanibekov_scene(),
        symmetric_top_scene(),
        heavy_top_scene(),
        steady_precession_scene(),
        sleeping_top_scene(),
        kepler_scene(),
        two_stars_scene(),
        figure_eight_scene(),
        cyclotron_scene(),
        crossed_fields_scene(),
        gyroscope_scene(),
        projectile_scene(),
        linear_drag_scene(),
        quadratic_drag_scene(),
        terminal_speed_scene(),
        chain_scene(),
        folded_chain_scene(),
        torsion_pendulum_scene(),
        damped_oscillators_scene(),
        resonance_scene(),
        beats_scene(),
        normal_modes_scene(),
        atwood_scene(),
        slider_crank_scene(),
        four_bar_scene(),
        bennett_scene(),
        stops_scene(),
        bouncing_ball_scene(),
        tumbling_cube_scene(),
        gongs_scene(),
        shape_drops_scene(),
        sliding_boxes_scene(),
        belt_scene(),
        lift_scene(),
        turntable_scene(),
        slide_to_roll_scene(),
        incline_scene(),
        level_throw_scene(),
        oblique_throw_scene(),
        shaken_plate_scene(),
        head_on_collision_scene(),
        oblique_collision_scene(),
        tower_scene(),
        pyramid_scene(),
        dominoes_scene(),
        arch_scene(),
        card_house_scene(),
        thousand_scene(),
        avalanche_scene(),
        drum_scene(),
        ragdolls_scene(),
    };
    return scenes;
}

// Refuses what is no number, outside the range, or not whole where it must be.
void check_value(const SceneParameter& parameter, double value) {
    const bool in_range = value >= parameter.minimum && value <= parameter.maximum;
    if (in_range && (!parameter.integer || value == std::floor(value))) {
        return;
    }
    std::ostringstream message;
    message << "parameter " << parameter.name << " = " << value << " must be "
            << (parameter.integer ? "an integer" : "a number") << " from " << parameter.minimum << " to "
            << parameter.maximum;
    if (!parameter.unit.empty()) {
        message << ' ' << parameter.unit;
    }
    throw std::invalid_argument(message.str());
}

} // namespace
} // namespace detail

std::span<const SceneInfo> scene_list() { return detail::table(); }

const SceneInfo* find_scene(std::string_view name) {
    for (const SceneInfo& info : scene_list()) {
        if (info.name == name) {
            return &info;
        }
    }
    return nullptr;
}

Scene make_scene(const SceneInfo& info) {
    std::vector<double> values;
    for (const SceneParameter& parameter : info.parameters) {
        values.push_back(parameter.value);
    }
    return make_scene(info, values);
}

Scene make_scene(const SceneInfo& info, std::span<const double> values) {
    if (values.size() != info.parameters.size()) {
        throw std::invalid_argument("scene " + std::string(info.name) + " takes " +
                                    std::to_string(info.parameters.size()) + " parameters, not " +
                                    std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        detail::check_value(info.parameters[i], values[i]);
    }
    return info.make(values);
}

} // namespace substep
