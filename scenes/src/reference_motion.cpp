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

// The motion since a node: t and y are the differences.
class Deviation final : public OdeSystem {
public:
    Deviation(const ReferenceMotion::Rates& rates, std::size_t size) : rates_(rates), from_(size), at_(size) {}

    std::size_t size() const noexcept override { return from_.size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        for (std::size_t i = 0; i < y.size(); ++i) {
            at_[i] = from_[i] + y[i];
        }
        rates_(begin_ + t, at_, dydt);
    }

    void set_origin(long double begin, const std::vector<double>& state) {
        begin_ = begin;
        from_ = state;
    }

private:
    const ReferenceMotion::Rates& rates_;
    long double begin_ = 0.0L;
    std::vector<double> from_;
    std::vector<double> at_;
};

// One substep a call, of the length that is asked for: no error control, no memory.
class Stepper {
public:
    Stepper(const ReferenceMotion::Rates& rates, std::size_t size, double interval)
        : deviation_(rates, size), change_(size) {
        IntegratorSettings settings;
        settings.method = "dormand_prince853";
        settings.h_initial = settings.h_min = settings.h_max = interval;
        service_.configure(deviation_, settings);
    }

    // Moves a state and its lost digits on from `begin`.
    void advance(long double begin, double duration, std::vector<double>& state, std::vector<double>& lost) {
        deviation_.set_origin(begin, state);
        change_ = lost;
        service_.reset();
        const StepReport report = service_.advance(deviation_, 0.0, duration, change_);
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

ReferenceMotion::Rates rates_of(std::unique_ptr<OdeSystem> system) {
    return [shared = std::shared_ptr<OdeSystem>(std::move(system))](long double t, std::span<const double> y,
                                                                    std::span<double> dydt) {
        shared->derivative(static_cast<double>(t), y, dydt);
    };
}

} // namespace

ReferenceMotion::ReferenceMotion(Rates rates, std::vector<double> start, double until, double interval)
    : rates_(std::move(rates)), interval_(interval) {
    if (!(until > 0.0 && interval > 0.0 && std::isfinite(until / interval))) {
        throw std::invalid_argument("a reference motion needs a positive time and interval");
    }
    last_ = static_cast<std::size_t>(std::ceil(until / interval - 1e-9));
    std::vector<double> nothing(start.size(), 0.0);
    nodes_.push_back({std::move(start), std::move(nothing)});
}

ReferenceMotion::ReferenceMotion(std::unique_ptr<OdeSystem> system, std::vector<double> start, double until,
                                 double interval)
    : ReferenceMotion(rates_of(std::move(system)), std::move(start), until, interval) {}

std::vector<double> ReferenceMotion::at(double t) const {
    const double number = std::clamp(std::floor(t / interval_), 0.0, static_cast<double>(last_));
    const auto index = static_cast<std::size_t>(number);
    extend(rates_, interval_, index + 1, nodes_);
    Node node = nodes_[index];
    const long double begin = static_cast<long double>(number) * interval_;
    const auto rest = static_cast<double>(t - begin);
    if (rest > 0.0 && index < last_) {
        Stepper(rates_, node.state.size(), interval_).advance(begin, rest, node.state, node.lost);
    }
    return node.state;
}

double ReferenceMotion::until() const noexcept { return interval_ * static_cast<double>(last_); }

double ReferenceMotion::disagreement() const {
    extend(rates_, interval_, last_ + 1, nodes_);
    std::vector<Node> other{nodes_.front()};
    extend(rates_, 0.5 * interval_, 2 * last_ + 1, other);
    double largest = 0.0;
    for (std::size_t j = 0; j < nodes_.front().state.size(); ++j) {
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

void ReferenceMotion::extend(const Rates& rates, double interval, std::size_t count, std::vector<Node>& nodes) {
    if (nodes.size() >= count) return;
    Stepper stepper(rates, nodes.front().state.size(), interval);
    while (nodes.size() < count) {
        Node node = nodes.back();
        stepper.advance(static_cast<long double>(nodes.size() - 1) * interval, interval, node.state, node.lost);
        nodes.push_back(std::move(node));
    }
}

} // namespace substep
