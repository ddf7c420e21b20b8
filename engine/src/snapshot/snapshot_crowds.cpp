// Members of crowds, by the order in which bodies were created.
#include "snapshot/snapshot_crowds.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "snapshot/saved_pair.h"

namespace substep::detail {
namespace {

// Calls `take` with the ordinal and the crowd of each member that is still there. Crowds are numbered anew, in the
// order in which they come: some may have lost their bodies.
template <class Take>
void for_members(const BodyTable& bodies, const Crowds& crowds, const Take& take) {
    if (crowds.members().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    std::vector<std::uint32_t> numbers;
    std::uint32_t count = 0;
    for (const CrowdMember& member : crowds.members()) {
        if (bodies.find(member.body) != nullptr) {
            numbers.resize(std::max<std::size_t>(numbers.size(), member.crowd), 0);
            std::uint32_t& number = numbers[member.crowd - 1];
            number = number == 0 ? ++count : number;
            take(ordinals[member.body.index], number);
        }
    }
}

} // namespace

void save_crowds(ArchiveWriter& writer, const BodyTable& bodies, const Crowds& crowds) {
    std::uint32_t count = 0;
    for_members(bodies, crowds, [&](std::uint32_t, std::uint32_t) { ++count; });
    writer.number(count);
    for_members(bodies, crowds, [&](std::uint32_t ordinal, std::uint32_t crowd) {
        writer.number(ordinal);
        writer.number(crowd);
    });
}

void restore_crowds(ArchiveReader& reader, const BodyTable& bodies, Crowds& crowds) {
    std::uint32_t count = 0;
    reader.number(count);
    const std::span<const BodyId> ids = bodies.ids();
    if (count > ids.size()) {
        refuse_snapshot("its crowds have more bodies than there are");
    }
    std::vector<CrowdMember> members;
    members.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t ordinal = 0;
        std::uint32_t crowd = 0;
        reader.number(ordinal);
        reader.number(crowd);
        if (ordinal >= ids.size() || !bodies[ids[ordinal]].is_dynamic() || crowd == 0 || crowd > ids.size()) {
            refuse_snapshot("a crowd in it is not one of this world's bodies");
        }
        members.push_back({ids[ordinal], crowd});
    }
    crowds.set_members(std::move(members));
}

void add_to_hash(BitHash& hash, const BodyTable& bodies, const Crowds& crowds) {
    for_members(bodies, crowds, [&](std::uint32_t ordinal, std::uint32_t crowd) {
        hash.add(std::uint64_t{ordinal});
        hash.add(std::uint64_t{crowd});
    });
}

} // namespace substep::detail
