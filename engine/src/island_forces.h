// The forces on the bodies of one island, joints apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "force_model.h"
#include "model.h"

namespace substep::detail {

/// Gravity, the world's force fields, and the forces given for one step, on the bodies of one island.
class IslandForces final : public ForceModel {
public:
    explicit IslandForces(const Model& model) noexcept : model_(&model) {}

    /// Takes over the island's bodies: dynamic ones first, then prescribed ones, kWorldBody for the ground. Fields as
    /// in `refresh_fields`.
    void build(std::span<const BodyId> bodies, std::size_t dynamic_count);

    /// Finds anew which of the world's fields act on which bodies. Fields that tie bodies belong to the island that has
    /// their dynamic bodies.
    void refresh_fields();

    /// Whether they are the same at all times.
    bool steady() const noexcept;

    /// Reads the forces given for the next step. Returns true if there are any.
    bool take_frame_forces() noexcept;
    std::span<Wrench> frame_wrenches() noexcept { return frame_wrenches_; }
    std::span<const Wrench> frame_wrenches() const noexcept { return frame_wrenches_; }

    void write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches) noexcept override;

private:
    /// A field, and the numbers of the bodies that it acts on: `count` of them from `first` in `numbers_`.
    struct Application {
        const ForceField* field = nullptr;
        bool ties = false;
        std::size_t first = 0;
        std::size_t count = 0;
    };

    std::span<const std::uint32_t> numbers(const Application& application) const noexcept {
        return std::span(numbers_).subspan(application.first, application.count);
    }
    void place_motions(std::span<const RigidState> states) noexcept;
    void add_tied(double t, const Application& application, std::span<Wrench> wrenches) noexcept;

    const Model* model_;
    std::vector<BodyId> bodies_;
    std::size_t dynamic_count_ = 0;
    std::vector<double> masses_;         ///< of dynamic bodies
    std::vector<Wrench> frame_wrenches_; ///< constant during the last step and any dense output of it

    std::vector<Application> applications_; ///< in the order of the world's fields
    std::vector<std::uint32_t> numbers_;

    // Scratch memory: what fields may depend on, of all bodies and of those that one field ties.
    std::vector<BodyMotion> motions_;
    std::vector<glm::dquat> body_to_principal_;
    std::vector<BodyMotion> tied_motions_;
    std::vector<Wrench> tied_wrenches_;
};

} // namespace substep::detail
