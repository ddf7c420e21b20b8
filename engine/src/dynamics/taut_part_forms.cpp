// The velocities and self-stresses of one part, and what their forms forbid.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "dynamics/taut_part.h"
#include "linear/dense.h"
#include "linear/pivoted_cholesky.h"
#include "linear/pivoted_qr.h"

namespace substep::detail {
namespace {

constexpr double kNoRow = 1e-12;    // 1, of a row in units of the freedoms: it holds nothing
constexpr double kDependent = 2e-5; // 1: a unit row of which less is left follows from others (S says so from 1e-5 on)
constexpr double kNoStressForm = 1e-3; // of the largest second derivative under the stress: such a form is zero
constexpr double kFormFloor = 1e-4;    // of a form's largest entry: less is zero, after rows that depend to 2e-5
constexpr double kMostWork = 6e7;      // multiplications: some 50 ms

} // namespace

// Finds the velocities that rows allow, and the self-stresses whose forms on them are not zero.
bool TautPart::find_candidates() {
    const JointSolver& joints = c_->joints();
    const std::size_t n = freedoms_.size();
    candidates_.clear();
    if (static_cast<double>(n * n * rows_) > kMostWork) {
        return false;
    }
    std::vector<double> rows;
    std::vector<std::size_t> number; // of each row that holds something
    std::vector<double> length;
    for (const Link& link : links_) {
        const auto count = static_cast<std::size_t>(joints.rows_of_joint(link.joint));
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<double> row(n, 0.0);
            for (std::size_t e = 0; e < joints.end_count(link.joint); ++e) {
                const Member* const member = member_of(joints.body_of(link.joint, e));
                if (member == nullptr) {
                    continue;
                }
                std::array<Twist, kMostRows> scratch;
                const Twist of_end = joints.rows_at(link.joint, static_cast<int>(e), scratch)[k];
                for (std::size_t f = member->first_freedom; f < n && freedoms_[f].body == member->body; ++f) {
                    row[f] += glm::dot(freedoms_[f].turns ? of_end.angular : of_end.linear, freedoms_[f].velocity);
                }
            }
            const double size = std::sqrt(product(row, row));
            if (size > kNoRow) {
                std::ranges::transform(row, std::back_inserter(rows), [size](double value) { return value / size; });
                number.push_back(link.first_row + k);
                length.push_back(size);
            }
        }
    }
    PivotedQr qr;
    qr.factor(rows, n, kDependent);
    const std::size_t stresses = qr.count() - qr.rank();
    allowed_count_ = n - qr.rank();
    const auto forms = static_cast<double>(stresses * allowed_count_ * allowed_count_ * (n + 2 * stresses));
    if (stresses == 0 || allowed_count_ == 0 || forms > kMostWork) {
        return false;
    }
    allowed_.assign(n * allowed_count_, 0.0);
    std::vector<double> x(n, 0.0);
    for (std::size_t k = 0; k < allowed_count_; ++k) {
        qr.write_orthogonal(k, x);
        for (std::size_t f = 0; f < n; ++f) {
            allowed_[f * allowed_count_ + k] = x[f];
        }
    }

    std::vector<Curvature> curvatures;
    for (const Link& link : links_) {
        curvatures.push_back(curvature_of(link));
    }
    std::vector<double> factors(qr.count(), 0.0);
    for (std::size_t which = 0; which < stresses; ++which) {
        qr.write_dependency(which, factors);
        Stress stress;
        stress.multipliers.assign(rows_, 0.0);
        for (std::size_t i = 0; i < number.size(); ++i) {
            stress.multipliers[number[i]] = factors[i] / length[i];
        }
        double scale = 0.0;
        stress.form = form_of(stress.multipliers, curvatures, scale);
        if (!(largest_of(stress.form) > kNoStressForm * scale)) {
            continue;
        }
        for (std::vector<double>* const values : {&stress.form, &stress.multipliers}) {
            std::ranges::transform(*values, values->begin(), [scale](double value) { return value / scale; });
        }
        candidates_.push_back(std::move(stress));
    }
    return !candidates_.empty();
}

// By polarisation: 2 gamma(u, v) = gamma(u + v) - gamma(u) - gamma(v).
TautPart::Curvature TautPart::curvature_of(const Link& link) {
    const JointSolver& joints = c_->joints();
    Curvature curvature;
    for (std::size_t e = 0; e < joints.end_count(link.joint); ++e) {
        const Member* const member = member_of(joints.body_of(link.joint, e));
        if (member == nullptr) {
            continue;
        }
        for (std::size_t f = member->first_freedom; f < freedoms_.size() && freedoms_[f].body == member->body; ++f) {
            curvature.freedoms.push_back(f);
        }
    }
    const std::size_t n = curvature.freedoms.size();
    const auto rows = static_cast<std::size_t>(joints.rows_of_joint(link.joint));
    const auto add = [&](std::size_t freedom, double part) {
        const Freedom& f = freedoms_[curvature.freedoms[freedom]];
        Twist& twist = velocities_[static_cast<std::size_t>(f.body)];
        (f.turns ? twist.angular : twist.linear) += part * f.velocity;
    };
    std::vector<double> own(n * rows, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        add(i, 1.0);
        joints.write_bias(link.joint, velocities_, std::span(own).subspan(i * rows, rows));
        add(i, -1.0);
    }
    curvature.values.assign(rows * n * n, 0.0);
    std::array<double, kMostRows> of_both{};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            add(i, 1.0);
            add(j, 1.0);
            joints.write_bias(link.joint, velocities_, of_both);
            add(j, -1.0);
            add(i, -1.0);
            for (std::size_t k = 0; k < rows; ++k) {
                curvature.values[(k * n + i) * n + j] = curvature.values[(k * n + j) * n + i] =
                    0.5 * (of_both[k] - own[i * rows + k] - own[j * rows + k]);
            }
        }
    }
    return curvature;
}

// sigma . gamma on the velocities that rows allow. `scale`: the largest second derivative of one joint under sigma.
std::vector<double> TautPart::form_of(std::span<const double> multipliers, const std::vector<Curvature>& curvatures,
                                      double& scale) const {
    const std::size_t q = allowed_count_;
    std::vector<double> half(freedoms_.size() * q, 0.0);
    scale = 0.0;
    for (std::size_t l = 0; l < links_.size(); ++l) {
        const Curvature& curvature = curvatures[l];
        const std::size_t n = curvature.freedoms.size();
        const std::size_t rows = n == 0 ? 0 : curvature.values.size() / (n * n);
        for (std::size_t i = 0; i < n; ++i) {
            double* const out = half.data() + curvature.freedoms[i] * q;
            for (std::size_t j = 0; j < n; ++j) {
                double value = 0.0;
                for (std::size_t k = 0; k < rows; ++k) {
                    value += multipliers[links_[l].first_row + k] * curvature.values[(k * n + i) * n + j];
                }
                scale = std::max(scale, std::abs(value));
                const double* const in = allowed_.data() + curvature.freedoms[j] * q;
                for (std::size_t c = 0; c < q && value != 0.0; ++c) {
                    out[c] += value * in[c];
                }
            }
        }
    }
    return transposed_times(allowed_, q, half, q);
}

// Looks for a combination of self-stresses whose form is semi-definite on what is allowed, and not zero: the one
// nearest to the identity first, then each alone. Takes away what it forbids.
bool TautPart::take_definite() {
    const std::size_t count = candidates_.size();
    if (allowed_count_ == 0) {
        return false;
    }
    std::vector<double> combination(count, 0.0);
    if (count > 1) {
        std::vector<double> gram(count * count, 0.0);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                gram[i * count + j] = product(candidates_[i].form, candidates_[j].form);
            }
        }
        PivotedCholesky factor;
        factor.factor(gram, count, 1e-10 * largest_of(gram));
        std::vector<double> b(factor.rank(), 0.0);
        for (std::size_t k = 0; k < b.size(); ++k) {
            b[k] = trace_of(candidates_[factor.row(k)].form, allowed_count_);
        }
        factor.solve(b);
        for (std::size_t k = 0; k < b.size(); ++k) {
            combination[factor.row(k)] = b[k];
        }
        if (take(combination)) {
            return true;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::ranges::fill(combination, 0.0);
        combination[i] = trace_of(candidates_[i].form, allowed_count_) < 0.0 ? -1.0 : 1.0;
        if (take(combination)) {
            return true;
        }
    }
    return false;
}

bool TautPart::take(std::span<const double> combination) {
    const double largest = largest_of(combination);
    if (!(largest > 0.0)) {
        return false;
    }
    const std::size_t q = allowed_count_;
    Stress sum;
    sum.multipliers.assign(rows_, 0.0);
    sum.form.assign(q * q, 0.0);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const double part = combination[i] / largest;
        for (std::size_t r = 0; r < rows_; ++r) {
            sum.multipliers[r] += part * candidates_[i].multipliers[r];
        }
        for (std::size_t r = 0; r < q * q; ++r) {
            sum.form[r] += part * candidates_[i].form[r];
        }
    }
    PivotedCholesky factor;
    if (!(largest_of(sum.form) > kNoStressForm) || !factor.factor(sum.form, q, kFormFloor * largest_of(sum.form)) ||
        factor.rank() == 0) {
        return false;
    }

    // What the form takes to zero stays allowed.
    const std::size_t left = q - factor.rank();
    std::vector<double> kept(q * left, 0.0);
    std::vector<double> x(q, 0.0);
    for (std::size_t c = 0; c < left; ++c) {
        factor.null_vector(c, x);
        const double size = std::sqrt(product(x, x));
        for (std::size_t i = 0; i < q; ++i) {
            kept[i * left + c] = x[i] / size;
        }
    }
    std::vector<double> next(freedoms_.size() * left, 0.0);
    if (left > 0) {
        next = times(allowed_, q, kept, left);
        for (Stress& candidate : candidates_) {
            candidate.form = transposed_times(kept, left, times(candidate.form, q, kept, left), left);
        }
    }
    sum.basis = std::move(allowed_);
    sum.size = q;
    taut_.push_back(std::move(sum));
    allowed_ = std::move(next);
    allowed_count_ = left;
    return true;
}

} // namespace substep::detail
