// Reference solutions by the integrator service, far below any tolerance that a scene uses.
#include "substep/scenes/reference_motion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "substep/integrators/integrator_service.h"

namespace substep {
namespace {

class RatesSystem final : public OdeSystem {
public:
    RatesSystem(ReferenceMotion::Rates rates, std::size_t size) : rates_(std::move(rates)), size_(size) {}
    std::size_t size() const noexcept override { return size_; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override { rates_(t, y, dydt); }

private:
    ReferenceMotion::Rates rates_;
    std::size_t size_;
};

// The motion relative to a node: y is the difference.
class Deviation final : public OdeSystem {
public:
    explicit Deviation(OdeSystem& system) : system_(system), from_(system.size()), at_(system.size()) {}

    std::size_t size() const noexcept override { return from_.size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        for (std::size_t i = 0; i < y.size(); ++i) {
            at_[i] = from_[i] + y[i];
        }
        system_.derivative(t, at_, dydt);
    }

    void set_origin(const std::vector<double>& state) { from_ = state; }

private:
    OdeSystem& system_;
    std::vector<double> from_;
    std::vector<double> at_;
};

// One substep a call, of the length that is asked for: no error control, no memory.
class Stepper {
public:
    Stepper(OdeSystem& system, std::string_view method, double interval) : deviation_(system), change_(system.size()) {
        IntegratorSettings settings;
        settings.method = method;
        settings.h_initial = settings.h_min = settings.h_max = interval;
        service_.configure(deviation_, settings);
    }

    // Moves a state and its lost digits from one time to another.
    void advance(double from, double to, std::vector<double>& state, std::vector<double>& lost) {
        deviation_.set_origin(state);
        change_ = lost;
        service_.reset();
        const StepReport report = service_.advance(deviation_, from, to, change_);
        if (report.status != StepStatus::ReachedTarget) {
            throw std::runtime_error("reference motion: the integrator stopped with status " +
                                     std::string(to_string(report.status)));
        }
        for (std::size_t i = 0; i < state.size(); ++i) { // Knuth's two-sum
            const double sum = state[i] + change_[i];
            const double added = sum - state[i];
            lost[i] = (state[i] - (sum - added)) + (change_[i] - added);
            state[i] = sum;
        }
    }

private:
    Deviation deviation_;
    IntegratorService service_;
    std::vector<double> change_;
};

constexpr std::string_view kMethod = "verner87";
constexpr std::string_view kOtherMethod = "dormand_prince853";

} // namespace

ReferenceMotion::ReferenceMotion(std::unique_ptr<OdeSystem> system, std::vector<double> start, double until,
                                 double interval)
    : system_(std::move(system)), interval_(interval) {
    if (!(until > 0.0 && interval > 0.0 && std::isfinite(until / interval))) {
        throw std::invalid_argument("a reference motion needs a positive time and interval");
    }
    std::vector<double> nothing(start.size(), 0.0);
    nodes_ = solve(kMethod, interval, static_cast<std::size_t>(std::ceil(until / interval - 1e-9)) + 1,
                   {std::move(start), std::move(nothing)});
}

ReferenceMotion::ReferenceMotion(Rates rates, std::vector<double> start, double until, double interval)
    : ReferenceMotion(std::make_unique<RatesSystem>(std::move(rates), start.size()), start, until, interval) {}

std::vector<double> ReferenceMotion::at(double t) const {
    const double last = static_cast<double>(nodes_.size() - 1);
    const double number = std::clamp(std::floor(t / interval_), 0.0, last);
    Node node = nodes_[static_cast<std::size_t>(number)];
    const double begin = number * interval_;
    if (t > begin && number < last) {
        Stepper(*system_, kMethod, interval_).advance(begin, t, node.state, node.lost);
    }
    return node.state;
}

double ReferenceMotion::until() const noexcept { return interval_ * static_cast<double>(nodes_.size() - 1); }

double ReferenceMotion::disagreement() const {
    const std::vector<Node> other = solve(kOtherMethod, 0.5 * interval_, 2 * nodes_.size() - 1, nodes_.front());
    double largest = 0.0;
    for (std::size_t j = 0; j < system_->size(); ++j) {
        double difference = 0.0;
        double scale = 1.0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            difference = std::max(difference, std::abs(nodes_[i].state[j] - other[2 * i].state[j]));
            scale = std::max(scale, std::abs(nodes_[i].state[j]));
        }
        largest = std::max(largest, difference / scale);
    }
    return largest;
}

std::vector<ReferenceMotion::Node> ReferenceMotion::solve(std::string_view method, double interval, std::size_t count,
                                                          const Node& start) const {
    Stepper stepper(*system_, method, interval);
    std::vector<Node> nodes{start};
    nodes.reserve(count);
    while (nodes.size() < count) {
        Node node = nodes.back();
        const auto number = static_cast<double>(nodes.size());
        stepper.advance((number - 1.0) * interval, number * interval, node.state, node.lost);
        nodes.push_back(std::move(node));
    }
    return nodes;
}

} // namespace substep
