// A few bodies with the joints between them, looked at on their own: whether they stand where nothing can move.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/configuration.h"

namespace substep::detail {

/// Dynamic bodies, and all joints that tie them to one another and to what stands still.
///
/// Velocities v that rows allow (J v = 0) can only go on if there are accelerations with J a + gamma(v) = 0, gamma
/// being what C'' is without accelerations. Where rows depend on one another there are multipliers sigma with
/// J^T sigma = 0, a self-stress; no acceleration changes sigma . C'', so sigma . gamma(v) has to be zero. If this form
/// is definite on the velocities v (positive, say), none of them can go on, and the bodies stand at an isolated place;
/// if semi-definite, those remain that the form takes to zero, and the next self-stress is looked at on these (Connelly
/// & Whiteley, Second-order rigidity and prestress stability, SIAM J. Discrete Math. 9 (1996) 453). A form with both
/// signs forbids nothing: a parallelogram goes through its flat position on either branch.
///
/// Joints with other bodies can only take away more freedom: what stands on its own stands in any company. All is
/// geometry, of velocities measured in m/s and in rad/s times the reach of a body; masses play no part.
class TautPart {
public:
    /// A self-stress whose form is semi-definite, on the velocities that those before it left.
    struct Stress {
        std::vector<double> multipliers; ///< of the joints' rows, as the part counts them
        std::vector<double> form;        ///< on the columns of `basis`
        std::vector<double> basis;       ///< velocities of freedoms, in columns
        std::size_t size = 0;            ///< number of columns
        double largest = 0.0;            ///< multiplier of one joint
        double slack = 0.0;              ///< m: by how much the joints are longer together than the way that they take
    };
    /// A direction in which a body of the part may move.
    struct Freedom {
        int body = 0;
        bool turns = false;
        glm::dvec3 velocity{0.0}; ///< m/s or rad/s, of a coordinate of 1
    };

    /// Looks at bodies where joints were linearised last. Returns whether some self-stress forbids what rows allow.
    /// Says no where there are more freedoms than a search may cost.
    bool look(const Configuration& configuration, std::span<const int> bodies);

    /// Whether all velocities are forbidden, but for bodies that turn in their place.
    bool is_isolated() const noexcept { return is_isolated_; }
    /// m, over all self-stresses found.
    double least_slack() const noexcept;
    double largest_slack() const noexcept;
    const Stress& slackest() const noexcept;
    /// m: the largest gap of a joint of the part, a sine times the world's length.
    double gap() const noexcept { return gap_; }

    std::span<const Freedom> freedoms() const noexcept { return freedoms_; }
    /// Marks in `holds` what of each body is to be held.
    void mark_holds(std::span<BodyHold> holds) const noexcept;

private:
    /// A joint, with its first row as the part counts rows.
    struct Link {
        int joint = 0;
        std::size_t first_row = 0;
    };
    /// What of a body its joints hold.
    struct Member {
        int body = 0;
        std::size_t first_freedom = 0;
        bool has_levers = false; ///< joints resist its turning
    };
    /// The second derivatives of the rows of one joint: the numbers of its freedoms, and for each row a matrix on them.
    struct Curvature {
        std::vector<std::size_t> freedoms;
        std::vector<double> values;
    };

    void find_links(std::span<const int> bodies);
    void find_freedoms(std::span<const int> bodies);
    bool find_candidates();
    Curvature curvature_of(const Link& link);
    std::vector<double> form_of(std::span<const double> multipliers, const std::vector<Curvature>& curvatures,
                                double& scale) const;
    bool take_definite();
    bool take(std::span<const double> combination);
    bool turns_in_place(const Member& member, std::span<const double> column) const;
    bool stands_still() const;
    void find_slacks();
    const Member* member_of(int body) const noexcept;

    const Configuration* c_ = nullptr;
    std::vector<Member> members_;
    std::vector<Link> links_;
    std::size_t rows_ = 0;
    std::vector<Freedom> freedoms_;
    std::vector<Stress> candidates_; ///< independent self-stresses whose forms are not zero
    std::vector<Stress> taut_;       ///< combinations of them
    std::vector<double> allowed_;    ///< velocities of freedoms, in columns: what nothing forbids so far
    std::size_t allowed_count_ = 0;
    bool is_isolated_ = false;
    double gap_ = 0.0;
    std::vector<Twist> velocities_; ///< scratch space, zero between uses
};

} // namespace substep::detail
