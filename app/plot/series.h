// Recorded values over time, bounded in memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace substep {

struct PlotPoint {
    double x = 0.0;
    double y = 0.0;
};

/// The last points of a recording.
class RollingSeries {
public:
    explicit RollingSeries(std::size_t capacity = 600) : capacity_(capacity) {}

    void push(double x, double y) {
        // Room for as many again, so that old points are moved out rarely.
        if (points_.size() == 2 * capacity_)
            points_.erase(points_.begin(), points_.end() - static_cast<std::ptrdiff_t>(capacity_));
        points_.push_back({x, y});
    }
    /// Forgets what lies behind x.
    void cut_after(double x) {
        while (!points_.empty() && points_.back().x > x) points_.pop_back();
    }
    std::span<const PlotPoint> points() const noexcept {
        return std::span(points_).last(points_.size() < capacity_ ? points_.size() : capacity_);
    }

private:
    std::size_t capacity_;
    std::vector<PlotPoint> points_;
};

/// A whole recording in at most `capacity` points: when they are used up, every two neighbours become the one of larger
/// magnitude, so that no peak is lost.
class PeakSeries {
public:
    explicit PeakSeries(std::size_t capacity = 4096) : capacity_(capacity) {}

    void push(double x, double y) {
        // The last point stands for up to `stride_` pushes.
        if (pushed_ % stride_ == 0 || points_.empty()) {
            points_.push_back({x, y});
        } else if (!(std::abs(y) <= std::abs(points_.back().y))) {
            points_.back() = {x, y};
        }
        ++pushed_;
        if (points_.size() < capacity_) return;
        for (std::size_t i = 0; i < capacity_ / 2; ++i) {
            const PlotPoint& a = points_[2 * i];
            const PlotPoint& b = points_[2 * i + 1];
            points_[i] = std::abs(b.y) > std::abs(a.y) ? b : a;
        }
        points_.resize(capacity_ / 2);
        stride_ *= 2;
    }
    /// Forgets what lies behind x; the next point begins a stretch of its own.
    void cut_after(double x) {
        while (!points_.empty() && points_.back().x > x) points_.pop_back();
        pushed_ = 0;
    }
    std::span<const PlotPoint> points() const noexcept { return points_; }

private:
    std::size_t capacity_;
    std::size_t stride_ = 1;
    std::size_t pushed_ = 0;
    std::vector<PlotPoint> points_;
};

} // namespace substep
