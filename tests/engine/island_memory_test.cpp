// What an island remembers, as bytes and back.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "islands/island_memory.h"
#include "islands/model.h"

using namespace substep;
using namespace substep::detail;

namespace {

// The forces on an island of one body in a world of its own.
struct OneBody {
    Model model;
    BodyId id = model.bodies.insert(make_body({.shape = Sphere{0.5}, .mass = 1.0}, 0.0));
    IslandForces forces;

    OneBody() { forces.build(model.bodies, model.fields, std::span(&id, 1), 1); }
};

std::vector<std::byte> bytes_of(const IslandMemory& memory, const IslandForces& forces) {
    std::vector<std::byte> bytes;
    ArchiveWriter writer(bytes);
    write_memory(writer, memory, forces.step_wrenches());
    writer.finish();
    return bytes;
}

std::vector<std::byte> bytes_of(const ContactMemory& stop) {
    std::vector<std::byte> bytes;
    ArchiveWriter writer(bytes);
    archive_contact_memory(writer, stop);
    writer.finish();
    return bytes;
}

} // namespace

TEST_CASE("of an island that remembers nothing two bytes are written, and back it is another one's default") {
    OneBody body;
    const std::vector<std::byte> bytes = bytes_of({}, body.forces);
    CHECK(bytes.size() == 2);
    ArchiveReader reader{bytes};
    IslandMemory memory{.asleep = true, .demand = 7, .takeover_count = 3};
    read_memory(reader, memory, body.forces.step_wrenches());
    CHECK(reader.bytes.empty());
    CHECK_FALSE(memory.asleep);
    CHECK(memory.demand == 0);
    CHECK(memory.takeover_count == 0);
}

TEST_CASE("all that an island remembers comes back, with the forces of its last step") {
    OneBody saved;
    saved.model.bodies[saved.id].step_wrench = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
    REQUIRE(saved.forces.take_step_forces(saved.model.bodies));
    const IslandMemory before{.ran_ahead = true,
                              .has_step_forces = true,
                              .model_changed_since = true,
                              .asleep = true,
                              .without_tolerance = true,
                              .demand = 12,
                              .slow_time = 0.25,
                              .speed_when_slow_began = 0.5,
                              .alike_time = 3.0,
                              .fastest_at_first = 0.75,
                              .has_constraints = true,
                              .pairs = 3,
                              .modes_wanted = true,
                              .takeover_count = 4,
                              .window = {1.0, 2.0}};
    const std::vector<std::byte> bytes = bytes_of(before, saved.forces);
    OneBody restored;
    IslandMemory after;
    ArchiveReader reader{bytes};
    read_memory(reader, after, restored.forces.step_wrenches());
    CHECK(reader.bytes.empty());
    CHECK(bytes_of(after, restored.forces) == bytes);
    CHECK(after.ran_ahead);
    CHECK(after.demand == 12);
    CHECK(after.slow_time == 0.25);
    CHECK(after.speed_when_slow_began == 0.5);
    CHECK(after.alike_time == 3.0);
    CHECK(after.fastest_at_first == 0.75);
    CHECK(after.pairs == 3);
    CHECK(after.modes_wanted);
    CHECK(after.takeover_count == 4);
    CHECK(after.window == before.window);
    CHECK(restored.forces.step_wrenches()[0].torque == glm::dvec3(4.0, 5.0, 6.0));

    // Forces that no step had are zero again.
    const std::vector<std::byte> without = bytes_of({}, saved.forces);
    reader.bytes = without;
    read_memory(reader, after, restored.forces.step_wrenches());
    CHECK(restored.forces.step_wrenches()[0].torque == glm::dvec3(0.0));
}

TEST_CASE("bytes of no island are refused: unknown flags, a demand beyond all budgets, windows without time, an end") {
    OneBody body;
    const auto is_refused = [&](std::span<const std::byte> bytes) {
        ArchiveReader reader{bytes};
        IslandMemory memory;
        CHECK_THROWS_AS(read_memory(reader, memory, body.forces.step_wrenches()), std::invalid_argument);
    };
    std::vector<std::byte> bytes = bytes_of({}, body.forces);
    bytes[1] = std::byte{0x04}; // the lowest bit without a meaning
    is_refused(bytes);
    is_refused(bytes_of({.demand = std::numeric_limits<std::uint32_t>::max()}, body.forces));
    is_refused(bytes_of({.window = {2.0, 1.0}}, body.forces));
    bytes = bytes_of({.demand = 12}, body.forces);
    bytes.pop_back();
    is_refused(bytes);
}

TEST_CASE("of a joint's stop a byte is written, and the numbers that are not zero by their bits") {
    CHECK(bytes_of(ContactMemory{}).size() == 1);
    ContactMemory stop;
    stop.mode = static_cast<std::uint32_t>(ContactMode::Stick);
    stop.force = {1.0, 0.0, 0.0};
    stop.floor = -0.0;
    const std::vector<std::byte> bytes = bytes_of(stop);
    CHECK(bytes.size() == 1 + 4 * sizeof(double));
    ArchiveReader reader{bytes};
    ContactMemory back;
    archive_contact_memory(reader, back);
    CHECK(bytes_of(back) == bytes);
    CHECK(back.contact_mode() == ContactMode::Stick);
    CHECK(std::signbit(back.floor));

    stop.mode = 3;
    const std::vector<std::byte> wrong = bytes_of(stop);
    reader.bytes = wrong;
    CHECK_THROWS_AS(archive_contact_memory(reader, back), std::invalid_argument);
}
