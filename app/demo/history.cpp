// The last two minutes of a world as snapshots, with what was seen of it then, for going back.
#include "history.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace substep {

namespace {

std::size_t bytes_of(const PastMoment& moment) {
    return sizeof moment + moment.snapshot.bytes.size() + moment.motions.size() * sizeof(PointMotion);
}

} // namespace

void History::clear() {
    moments_.clear();
    bytes_ = 0;
}

void History::add(PastMoment moment) {
    const double now = moment.time;
    while (!moments_.empty() && moments_.back().time >= now - 1e-9) {
        bytes_ -= bytes_of(moments_.back());
        moments_.pop_back();
    }
    bytes_ += bytes_of(moment);
    moments_.push_back(std::move(moment));
    while (moments_.size() > 1 && (moments_.front().time < now - kSeconds || bytes_ > kBytes)) {
        bytes_ -= bytes_of(moments_.front());
        moments_.pop_front();
    }
}

const PastMoment& History::at(double t) const {
    const auto behind = std::ranges::lower_bound(moments_, t, {}, &PastMoment::time);
    if (behind == moments_.end()) return moments_.back();
    if (behind == moments_.begin()) return *behind;
    const auto before = std::prev(behind);
    return std::abs(before->time - t) <= std::abs(behind->time - t) ? *before : *behind;
}

} // namespace substep
