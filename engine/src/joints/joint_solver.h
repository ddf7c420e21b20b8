// Joint equations of one island: how far they are violated, their Jacobian, and the multipliers that keep them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "bodies/body_frames.h"
#include "bodies/rigid_motion.h"
#include "bodies/stiff_element.h"
#include "joints/island_joint.h"
#include "joints/joint_rows.h"
#include "linear/block_ldl.h"
#include "substep/engine/body.h"

namespace substep::detail {

/// Bits of a joint's choice of rows, and those of both its ends' holds behind them.
inline constexpr unsigned kHoldBits = 4;
inline constexpr unsigned kRowBits = (1u << kMostRows) - 1u;

/// The equations C(x, q) = 0 of an island's joints, with C' = J (v, omega) and C'' = J (v', omega') + gamma.
///
/// Rows of a joint between bodies a and b, arms r from their centres of mass:
///   point, three rows:  C = x_a + r_a - x_b - r_b,  gamma = w_a x (w_a x r_a) - w_b x (w_b x r_b);
///   hinge, two more:    C_k = a . t_k,  C_k' = (w_a - w_b) . (a x t_k),
///                       gamma_k = (w_a - w_b) . ((w_a x a) x t_k + a x (w_b x t_k)).
/// Balls and hinges have code of their own here; all other joints are made of the rows of joint_rows.h, in
/// joint_general.cpp.
/// A coupling of two joints is one more row, after those of all joints.
/// Multipliers solve S lambda = right-hand side with the Schur complement S = J M^-1 J^T, block-sparse over the joints.
/// Bodies whose motion is prescribed take part with zero inverse mass.
class JointSolver {
public:
    /// Takes over the joints of an island. Only bodies below `dynamic_count` connect joints in S. What everything below
    /// takes is added to `work` (joint_work.h), by counts of operations, if it is not null.
    void build(std::span<const IslandJoint> joints, std::span<const IslandCoupling> island_couplings, int dynamic_count,
               std::int64_t* work = nullptr);

    /// Takes over a solver's joints, and elements after them, of which only the bodies are read. Elements are rows of J
    /// with a compliance: see `linearise`. They have no violation, bias or vibration.
    void build_with(const JointSolver& joints, std::span<const StiffElement> elements);

    /// Says whether a prescribed body stays where `bodies` has it, with zero velocities and accelerations: then its
    /// ends are computed here, once.
    void set_still(int body, bool still, std::span<const BodyFrame> bodies) noexcept;

    bool empty() const noexcept { return joints_.empty(); }
    std::int64_t* work() const noexcept { return work_; }
    int rows() const noexcept { return rows_; }

    /// Size of the joints' memory in the island's state; `memory` below has the same.
    int memory_count() const noexcept { return memory_count_; }

    /// Computes J and factorises S at the given places; everything below uses them until the next call.
    void linearise(std::span<const BodyFrame> bodies, std::span<const double> memory) noexcept {
        linearise(bodies, memory, {}, 0.0, 0.0);
    }

    /// The same with elements, as many and between the same bodies as `build_with` was given. With c = stiffness_factor
    /// stiffness + damping_factor damping of a direction, its row of J is the element's times the factor of
    /// `yielding_row`, and S has that one's diagonal beside it: lambda is then what resists a displacement u as factor
    /// lambda = -c row . u.
    void linearise(std::span<const BodyFrame> bodies, std::span<const double> memory,
                   std::span<const StiffElement> elements, double stiffness_factor, double damping_factor) noexcept;

    /// With `damping` times its own diagonal (of J M^-1 J^T) added to S, and no row left out: redundant rows that
    /// contradict others then yield.
    void linearise_damped(std::span<const BodyFrame> bodies, std::span<const double> memory, double damping) noexcept;

    /// With the same `ridge` added to each diagonal number of S, and no row left out (Tikhonov).
    void linearise_ridged(std::span<const BodyFrame> bodies, std::span<const double> memory, double ridge) noexcept;

    /// Computes J at other places and leaves S as it is: nearby, S^-1 still takes away most of J u.
    void place(std::span<const BodyFrame> bodies, std::span<const double> memory) noexcept;

    /// Factorises where all joints are closed, and chooses the redundant rows in the memory anew.
    ///
    /// Where loops close, some rows may follow from others, as in a planar linkage or Bennett's. They do so only where
    /// all joints are closed: a little beside, at the stages of a substep, they contradict one another and would hold
    /// the mechanism fast. So rows that are redundant where a substep begins are left out until it has ended.
    void linearise_choosing(std::span<const BodyFrame> bodies, std::span<double> memory) noexcept;
    bool has_loops() const noexcept { return !row_choices_.empty(); }
    /// Whether the memory is one that `linearise_choosing` wrote: dense output between two substeps mixes theirs.
    bool knows_redundant(std::span<const double> memory) const noexcept;
    /// Makes all rows count; returns whether some did not. What is held stays so.
    bool forget_redundant(std::span<double> memory) const noexcept;

    // Bodies that taut joints hold (see TautJoints). The memory has the holds of both ends of every joint, beside the
    // choice of its rows.
    void remember_holds(std::span<const BodyHold> holds, std::span<double> memory) const noexcept;
    void write_holds(std::span<const double> memory, std::span<BodyHold> holds) const noexcept;
    /// Takes over what is held. Joints between ends that do not move count as closed, since nothing could close them,
    /// and their rows are left out.
    void rest(std::span<const BodyHold> holds) noexcept;

    /// The rows left out or raised by the last factorisation.
    std::span<const int> redundant_rows() const noexcept { return schur_complement_.raised_rows(); }

    // One joint or coupling of all, at the places of the last `linearise`. A coupling has up to four ends.
    int joint_count() const noexcept { return static_cast<int>(joints_.size()); }
    int first_row(int joint) const noexcept { return schur_complement_.first_row(joint); }
    int rows_of_joint(int joint) const noexcept { return joints_[static_cast<std::size_t>(joint)].rows; }
    std::size_t end_count(int joint) const noexcept;
    int body_of(int joint, std::size_t e) const noexcept;
    /// Returns its rows of J at one of its ends.
    std::span<const Twist> rows_at(int joint, int e, std::array<Twist, kMostRows>& scratch) const noexcept;
    /// Writes its gamma for the velocities of all bodies.
    void write_bias(int joint, std::span<const Twist> velocities, std::span<double> out) const noexcept;
    /// Returns the arm (m) to the anchor of a joint that holds a body by this point alone, however the body turns about
    /// it; null for other joints.
    const glm::dvec3* arm_to_point(int joint, std::size_t e) const noexcept;

    /// Writes the rates of the joints' memory, for the velocities of all bodies.
    void memory_rates(std::span<const Twist> velocities, std::span<double> out) const noexcept;

    /// Sets the joints' memory to the given places; angles keep their whole turns.
    void remember(std::span<const BodyFrame> bodies, std::span<double> memory) const noexcept;

    /// Rows that the last factorisation found redundant, or was told to leave out.
    int rank_loss() const noexcept { return rank_loss_; }

    /// Takes over the length of the world (m), which the joints have been made with.
    void set_length(double length) noexcept { length_ = length; }
    double length() const noexcept { return length_; }

    /// Writes C (m, rotations as sines times the world's length) at other places than those of `linearise`; J is not
    /// touched. Returns the largest |C|.
    double violation(std::span<const BodyFrame> bodies, std::span<const double> memory,
                     std::span<double> c) const noexcept;

    /// The same at the places of the last `linearise` or `place`, from what these computed.
    double violation_here(std::span<const BodyFrame> bodies, std::span<const double> memory,
                          std::span<double> c) const noexcept;

    /// The same for an assembly: angles beyond a right angle count as more than their sines (joint_rows.h).
    double assembly_violation(std::span<const BodyFrame> bodies, std::span<const double> memory,
                              std::span<double> c) const noexcept;

    /// Row with the largest |C|, and whose row that is: joints are counted, then couplings.
    static int worst_row(std::span<const double> c) noexcept;
    int joint_of_row(int row) const noexcept;
    /// The unit of C of a row: a length, the sine of an angle, or the error in the sum of a coupling.
    enum class RowUnit : std::uint8_t { Length, Sine, Coordinate };
    RowUnit unit_of_row(int row) const noexcept;
    /// The length (m) that one unit of it counts for in C.
    double length_of_row(int row) const noexcept;

    /// Returns the wrench of a joint on its second body at the places of the last `linearise`: force, and torque about
    /// its frame.
    Wrench force_on_second(int joint, std::span<const double> lambda) const noexcept;

    /// Length (m) whose round-off C carries: the largest distance of an anchor or a body from the origin.
    double length_scale(std::span<const BodyFrame> bodies) const noexcept;

    /// Writes J u for twists u of all bodies.
    void rates(std::span<const Twist> twists, std::span<double> out) const noexcept;

    /// Writes C'' = J a + gamma for the accelerations a and the velocities of all bodies.
    void second_rates(std::span<const Twist> accelerations, std::span<const Twist> velocities,
                      std::span<double> out) const noexcept;

    /// Replaces b by S^-1 b.
    void solve(std::span<double> b) const noexcept {
        count(work_of_solution_);
        hubs_.empty() ? schur_complement_.solve(b) : solve_with_hubs(b);
    }

    /// Adds the forces J^T lambda on the dynamic bodies to `wrenches`.
    void add_forces(std::span<const double> lambda, std::span<Wrench> wrenches) const noexcept;

    /// Returns an estimate of the fastest transverse vibration (rad/s) of bodies that joints pull at with lambda.
    double fastest_vibration(std::span<const BodyFrame> bodies, std::span<const double> lambda) noexcept;

    /// Writes the geometric stiffness (N m/rad) with which joint forces lambda turn each dynamic body back, positive
    /// semi-definite: forces that push it further away are left out.
    void geometric_stiffness(std::span<const double> lambda, std::span<glm::dmat3> stiffness) const noexcept;

    /// Number of joints whose force turns as the bodies move along the free coordinates: rods, and points on curves.
    /// And the stiffness that this makes under multipliers lambda, at the places of the last `linearise`.
    std::size_t element_count() const noexcept { return joints_with_elements_.size(); }
    void write_elements(std::span<const double> lambda, std::span<StiffElement> elements) const noexcept;

private:
    enum class Form : std::uint8_t { Ball, Hinge, General, Coupling, Element };

    /// The part of a joint that every evaluation needs. A ball needs no other: long chains of them stay in the cache.
    struct Joint {
        std::array<int, 2> body{};
        std::array<glm::dvec3, 2> anchor{};
        std::array<bool, 2> direct{}; ///< the end's body answers within S: it is dynamic, and no hub
        std::array<bool, 2> still{};  ///< the end's body never moves
        Form form = Form::Ball;
        int rows = 3;
        int general = -1; ///< index of the further part of a joint of rows
        int hinge = -1;   ///< index of the further part of a hinge
    };
    static Joint joint_from(const IslandJoint& joint) noexcept;

    /// One end of a joint at the places of the last `linearise`. With s = +1 at end 0 and -1 at end 1, its rows of J
    /// are s e_k for v and s (r x e_k) for omega, of a hinge then zero for v and s (a x t_k) for omega.
    struct End {
        glm::dvec3 arm{0.0};                  ///< r, m, centre of mass to anchor, world axes
        std::array<glm::dvec3, 3> response{}; ///< I^-1 times each row's factor of omega
    };
    struct Geometry {
        std::array<End, 2> ends;
    };
    /// The further part of a hinge: how it lies in its bodies, and in the world at the places of the last `linearise`.
    struct Hinge {
        glm::dvec3 axis_of_body{0.0};                ///< fixed in body 0
        std::array<glm::dvec3, 2> normals_of_body{}; ///< across the axis, fixed in body 1, of the world's length
        glm::dvec3 axis{0.0};                        ///< a
        std::array<glm::dvec3, 2> normals{};         ///< t_k
        std::array<glm::dvec3, 2> across{};          ///< a x t_k
        std::array<std::array<glm::dvec3, 2>, 2> response{}; ///< of both ends: I^-1 times each row's factor of omega
    };
    static Hinge hinge_from(const IslandJoint& joint) noexcept;
    /// A joint or a coupling made of rows, with J at the places of the last `linearise`. A coupling has up to four
    /// bodies, each once.
    /// An element is one too, of three rows.
    struct General {
        struct End {
            int body = 0;
            bool direct = false;
            std::array<Twist, kMostRows> row{};      ///< of J
            std::array<Twist, kMostRows> response{}; ///< M^-1 times it
        };
        JointRows rows;
        std::array<End, 4> ends;
        std::size_t end_count = 2;
        IslandCoupling coupling; ///< of a joint the first half is used, and the ratio is zero
        std::array<JointGeometry, 2> geometry;

        const IslandJoint& joint() const noexcept { return coupling.joint[0]; }
        bool is_coupling() const noexcept { return coupling.ratio != 0.0; }
        int row_count() const noexcept { return is_coupling() ? 1 : rows.count; }
        End& end_at(int body) noexcept;
    };
    static General general_from(const IslandCoupling& coupling) noexcept;

    /// One number that a joint remembers.
    struct Counter {
        IslandJoint joint;
        JointAxis axis = JointAxis::AngleZ;
        int index = 0; ///< in the memory
        JointGeometry geometry;
    };

    /// A joint of a loop, which remembers which of its rows are left out.
    struct Choice {
        int joint = 0;
        int index = 0; ///< in the memory
    };
    void fill_system(std::span<const BodyFrame> bodies, std::span<const double> memory,
                     std::span<const StiffElement> elements, double stiffness_factor, double damping_factor) noexcept;
    int leave_out_redundant(std::span<const double> memory) noexcept;
    bool leave_out_resting() noexcept;

    /// Two different joints at one dynamic body: S has a block for them.
    struct JointPair {
        int row_joint, row_end;
        int column_joint, column_end;
        int body;
        int offset;
    };
    /// A joint at a hub: S has a block J M^-1 for them.
    struct HubLink {
        int joint, end;
        int hub;
        int offset;
        bool hub_is_row;
    };
    void analyse(const std::vector<std::vector<int>>& bodies_of);
    void weigh() noexcept;
    void count(std::int64_t units) const noexcept {
        if (work_ != nullptr) {
            *work_ += units;
        }
    }
    int factor(bool some_left_out) noexcept {
        count(work_of_factors_);
        return schur_complement_.factor(some_left_out);
    }
    void linearise_hubs(std::span<const BodyFrame> bodies) noexcept;
    void solve_with_hubs(std::span<double> b) const noexcept;
    std::vector<std::vector<int>> bodies_of_joints() const;

    /// Sums over the joints of one body, for the estimate of its fastest vibration.
    struct Pull {
        double stiffness = 0.0;    ///< sum |lambda| |r|
        glm::dvec3 direction{0.0}; ///< arm of the strongest pull
        double strongest = -1.0;
        double anchored_mass = 0.0;   ///< sum of the masses that the joints' other sides resist with
        glm::dvec3 first_moment{0.0}; ///< sum mass r
        double second_moment = 0.0;   ///< sum mass r^2
    };

    template <int Rows>
    void place_joint(int joint, std::span<const BodyFrame> bodies) noexcept;
    void place_end(int joint, int e, const BodyFrame& body) noexcept;
    template <int Rows>
    void linearise_joint(int joint, std::span<const BodyFrame> bodies) noexcept;
    template <int Rows, bool First>
    void add_response(const Joint& joint, int e, End& end, const BodyFrame& body, double* s) noexcept;
    template <int Rows, int Columns>
    void add_pair_block(const JointPair& pair, double inverse_mass) noexcept;

    // The same for joints made of rows, and for pairs with one of them.
    void place_counters(std::span<const BodyFrame> bodies, std::span<const double> memory) noexcept;
    void place_general(int joint, std::span<const BodyFrame> bodies, std::span<const double> memory,
                       int helper) noexcept;
    void place_coupling(int joint, std::span<const BodyFrame> bodies, std::span<const double> memory) noexcept;
    void linearise_element(int joint, std::span<const BodyFrame> bodies, const StiffElement& element,
                           double stiffness_factor, double damping_factor) noexcept;
    double without_resting(std::span<double> c) const noexcept;
    void add_general_response(int joint, std::span<const BodyFrame> bodies) noexcept;
    void general_values(const Joint& joint, std::span<const BodyFrame> bodies, std::span<const double> memory,
                        double* out) const noexcept;
    void general_values_here(const Joint& joint, std::span<const double> memory, double* out) const noexcept;
    void add_general_pair_block(const JointPair& pair, const BodyFrame& body) noexcept;
    std::span<const Twist> responses_at(int joint, int end, const BodyFrame& body,
                                        std::array<Twist, kMostRows>& scratch) const noexcept;
    double* second_rates_of(std::size_t joint, const Twist& a, const Twist& b, std::span<const Twist> velocities,
                            double* row) const noexcept;
    double* general_rates(const General& general, std::span<const Twist> twists, double* out) const noexcept;
    void add_general_bias(const General& general, std::span<const Twist> velocities, double* out) const noexcept;
    /// The force at joint's first end, of the multipliers of its rows.
    glm::dvec3 force_of(int joint, std::span<const double> lambda) const noexcept;
    void add_general_forces(const General& general, const double* lambda, std::span<Wrench> wrenches) const noexcept;

    int dynamic_count_ = 0;
    std::vector<Joint> joints_;
    std::vector<IslandJoint> island_joints_; ///< as they came, without couplings
    std::vector<int> joints_with_elements_;  ///< joints with an element: rods, and points on curves
    std::vector<Geometry> geometry_;         ///< of general joints only the arms
    std::vector<Hinge> hinges_;
    std::vector<General> general_joints_;
    std::vector<Counter> counters_;
    std::vector<Choice> row_choices_;
    std::vector<int> resting_joints_; ///< neither end moves
    int memory_count_ = 0;            ///< of both
    std::vector<JointPair> joint_pairs_;
    std::vector<Pull> body_pulls_;
    std::vector<int> hubs_; ///< bodies that are solved for beside the joints (joint_elimination.h)
    std::vector<HubLink> hub_links_;
    mutable std::vector<double> unknowns_with_hubs_; ///< unknowns of joints and hubs
    int rows_ = 0;
    BlockLdl schur_complement_;
    double length_ = 1.0; ///< m, of the world
    int rank_loss_ = 0;
    std::int64_t* work_ = nullptr;      ///< where work is counted, in units
    std::int64_t work_of_filling_ = 0;  ///< J and S
    std::int64_t work_of_factors_ = 0;  ///< of S
    std::int64_t work_of_solution_ = 0; ///< with them
    std::int64_t work_of_rows_ = 0;     ///< rates of all rows, or forces along them
};

} // namespace substep::detail
