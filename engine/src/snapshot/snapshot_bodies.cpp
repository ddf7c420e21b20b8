// Bodies as bytes.
#include "snapshot/snapshot_bodies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "archive/prefetch.h"
#include "bodies/validation.h"

namespace substep::detail {
namespace {

// The parts of a body that are written: others equal the part before them, or zero.
enum BodyFlag : std::uint8_t {
    kEdited = 1,
    kOtherEnd = 2,   ///< the step ended elsewhere than where the body is now (an edit since)
    kOtherBegin = 4, ///< it began elsewhere than where it ended; for prescribed motion: it was another one
    kPushed = 8      ///< by a force for the next step
};

template <class T>
bool same_bits(const T& a, const T& b) noexcept {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what is meant, a zero's sign among them
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The part of a prescribed motion that is state. A path belongs to the structure: the body has it still.
struct MotionState {
    glm::dvec3 x0;
    glm::dquat q0;
    Twist velocity;
    double t0;
};

MotionState state_of(const PrescribedMotion& motion) noexcept {
    return {motion.x0, motion.q0, motion.velocity, motion.t0};
}

// Of a length that can be made one: steps that failed may have left it far from there.
bool is_sound(const glm::dquat& q) noexcept { return glm::dot(q, q) > 1e-12 && glm::dot(q, q) < 1e200; }

void take_state(ArchiveReader& reader, BodyState& state) {
    reader.number(state);
    if (!is_finite(state.x) || !is_sound(state.q) || !is_finite(state.v) || !is_finite(state.L)) {
        refuse_snapshot("a body's state in it is not finite");
    }
}

PrescribedMotion take_motion(ArchiveReader& reader, PrescribedMotion motion) {
    MotionState state;
    reader.number(state);
    motion.x0 = state.x0;
    motion.q0 = state.q0;
    motion.velocity = state.velocity;
    motion.t0 = state.t0;
    if (!is_finite(motion.x0) || !is_sound(motion.q0) || !is_finite(motion.velocity.linear) ||
        !is_finite(motion.velocity.angular) || !is_finite(motion.t0)) {
        refuse_snapshot("a body's motion in it is not finite");
    }
    return motion;
}

} // namespace

void prefetch_body(const BodyRecord& body) noexcept {
    prefetch(&body.motion, static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&body.step_wrench + 1) -
                                                    reinterpret_cast<const std::byte*>(&body.motion)));
}

void save_body(ArchiveWriter& writer, const BodyRecord& body) {
    constexpr std::size_t kMost = 1 + std::max(3 * sizeof(BodyState), 2 * sizeof(MotionState)) + sizeof(Wrench);
    std::byte* const front = writer.room(kMost).data();
    std::byte* end = front + 1;
    const auto add = [&end](const auto& value) {
        std::memcpy(end, &value, sizeof value);
        end += sizeof value;
    };
    unsigned flags = body.edited ? kEdited : 0;
    if (body.is_dynamic()) {
        add(body.now);
        assert(body.edited || same_bits(body.step_end, body.now));
        if (body.edited && !same_bits(body.step_end, body.now)) {
            flags |= kOtherEnd;
            add(body.step_end);
        }
        if (!same_bits(body.step_begin, body.edited ? body.step_end : body.now)) {
            flags |= kOtherBegin;
            add(body.step_begin);
        }
        if (!same_bits(body.step_wrench, Wrench{})) {
            flags |= kPushed;
            add(body.step_wrench);
        }
    } else {
        add(state_of(body.prescribed()));
        if (!same_bits(state_of(body.step_motion()), state_of(body.prescribed()))) {
            flags |= kOtherBegin;
            add(state_of(body.step_motion()));
        }
    }
    *front = static_cast<std::byte>(flags);
    writer.wrote(static_cast<std::size_t>(end - front));
}

void restore_body(ArchiveReader& reader, BodyRecord& body) {
    std::uint8_t flags = 0;
    reader.number(flags);
    // Only an edit puts a body elsewhere than where its step ended.
    if (flags > (kEdited | kOtherEnd | kOtherBegin | kPushed) || (flags & (kEdited | kOtherEnd)) == kOtherEnd) {
        refuse_snapshot("a body in it is of a kind that this program does not know");
    }
    body.edited = (flags & kEdited) != 0;
    body.step_wrench = {};
    if (!body.is_dynamic()) {
        const PrescribedMotion now = take_motion(reader, body.prescribed());
        body.motions.set_both(now, (flags & kOtherBegin) != 0 ? take_motion(reader, now) : now);
        return;
    }
    take_state(reader, body.now);
    body.step_end = body.now;
    if ((flags & kOtherEnd) != 0) {
        take_state(reader, body.step_end);
    }
    body.step_begin = body.step_end;
    if ((flags & kOtherBegin) != 0) {
        take_state(reader, body.step_begin);
    }
    if ((flags & kPushed) != 0) {
        reader.number(body.step_wrench);
        if (!is_finite(body.step_wrench.force) || !is_finite(body.step_wrench.torque)) {
            refuse_snapshot("a force in it is not finite");
        }
    }
}

void add_to_hash(BitHash& hash, const BodyRecord& body) noexcept {
    if (body.is_dynamic()) {
        hash.add(body.now.x);
        hash.add(body.now.q);
        hash.add(body.now.v);
        hash.add(body.now.L);
        hash.add(body.step_wrench.force);
        hash.add(body.step_wrench.torque);
    } else {
        hash.add(body.prescribed().x0);
        hash.add(body.prescribed().q0);
        hash.add(body.prescribed().velocity.linear);
        hash.add(body.prescribed().velocity.angular);
        hash.add(body.prescribed().t0);
    }
    hash.add(std::uint64_t{body.edited});
}

} // namespace substep::detail
