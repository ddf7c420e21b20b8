// Answers about pairs, in the order of the pairs' names.
#include "snapshot/snapshot_answers.h"

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "snapshot/saved_pair.h"

namespace substep::detail {
namespace {

// What the bytes of an answer hold.
enum AnswerFlag : std::uint8_t { kTouches = 1, kHasSurface = 2 };

bool is_possible_surface(const SurfacePair& surface) {
    try {
        require_surface(surface);
    } catch (const std::invalid_argument&) {
        return false;
    }
    return true;
}

} // namespace

void save_answers(ArchiveWriter& writer, const BodyTable& bodies, const ContactTable& contacts) {
    writer.number(static_cast<std::uint32_t>(contacts.answers().size()));
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const DecidedPair& pair : contacts.answers()) {
        save_pair(writer, saved(bodies, pair, ordinals));
        const PairAnswer& answer = pair.answer;
        const bool has_surface = answer.touch && answer.surface;
        writer.number(static_cast<std::uint8_t>((answer.touch ? kTouches : 0) | (has_surface ? kHasSurface : 0)));
        if (has_surface) {
            writer.number(answer.surface->friction);
            writer.number(answer.surface->static_friction);
            writer.number(answer.surface->restitution);
            writer.number(answer.surface->rolling_resistance);
            writer.number(answer.surface->spinning_resistance);
        }
    }
}

void restore_answers(ArchiveReader& reader, const BodyTable& bodies, ContactTable& contacts) {
    std::uint32_t count = 0;
    reader.number(count);
    std::vector<DecidedPair> answers;
    SavedPair before;
    for (std::uint32_t i = 0; i < count; ++i) {
        const SavedPair pair = restored_pair(reader);
        std::uint8_t flags = 0;
        reader.number(flags);
        if ((i > 0 && !before.comes_before(pair)) || !is_possible(pair, bodies, false) || pair.is_of_pile ||
            flags > (kTouches | kHasSurface) || flags == kHasSurface) {
            refuse_snapshot("an answer about a pair in it is not one of this world's bodies");
        }
        before = pair;
        DecidedPair& decided = answers.emplace_back(DecidedPair{known_pair(pair, bodies), {}});
        decided.answer.touch = (flags & kTouches) != 0;
        if ((flags & kHasSurface) != 0) {
            SurfacePair& surface = decided.answer.surface.emplace();
            reader.number(surface.friction);
            reader.number(surface.static_friction);
            reader.number(surface.restitution);
            reader.number(surface.rolling_resistance);
            reader.number(surface.spinning_resistance);
            if (!is_possible_surface(surface)) {
                refuse_snapshot("the surfaces of a pair in it make no sense");
            }
        }
    }
    contacts.set_answers(std::move(answers));
}

void add_answers_to_hash(BitHash& hash, const BodyTable& bodies, const ContactTable& contacts) {
    if (contacts.answers().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const DecidedPair& pair : contacts.answers()) {
        const SavedPair name = saved(bodies, pair, ordinals);
        hash.add(end_of_pair(name.collider_a, name.a));
        hash.add(end_of_pair(name.collider_b, name.b));
        hash.add(static_cast<std::uint64_t>(pair.answer.touch));
        if (pair.answer.touch && pair.answer.surface) {
            hash.add(pair.answer.surface->friction);
            hash.add(pair.answer.surface->static_friction);
            hash.add(pair.answer.surface->restitution);
            hash.add(pair.answer.surface->rolling_resistance);
            hash.add(pair.answer.surface->spinning_resistance);
        }
    }
}

} // namespace substep::detail
