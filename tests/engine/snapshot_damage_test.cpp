// Snapshots whose checksum is right and whose bytes are not: refused, or restored as something, soon and without harm.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "contact_worlds.h"
#include "snapshot/snapshot_header.h"
#include "substep/numerics/bit_hash.h"

using namespace engine_tests;

namespace {

using detail::SnapshotHeader;

// Bytes as they would be written by somebody who means harm: their size and their checksum are right.
WorldSnapshot sealed(const WorldSnapshot& snapshot, const std::vector<std::byte>& payload) {
    WorldSnapshot bad = snapshot;
    SnapshotHeader header;
    std::memcpy(&header, snapshot.bytes.data(), sizeof header);
    header.size = payload.size();
    header.checksum = detail::fast_hash(payload);
    bad.bytes.resize(sizeof header + payload.size());
    std::memcpy(bad.bytes.data(), &header, sizeof header);
    std::ranges::copy(payload, bad.bytes.begin() + sizeof header);
    return bad;
}

std::vector<std::byte> payload_of(const WorldSnapshot& snapshot) {
    return {snapshot.bytes.begin() + sizeof(SnapshotHeader), snapshot.bytes.end()};
}

// Processor time of one restore, refused or not, s.
double time_of_restore(World& world, const WorldSnapshot& snapshot) {
    const std::clock_t start = std::clock();
    try {
        world.restore(snapshot);
    } catch (const std::invalid_argument&) {
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Each with something else to save: segments, events, velocity steps, ledgers, contacts, joints with memory.
std::vector<World> worlds_to_damage() {
    std::vector<World> worlds;
    for (const char* method :
         {"cash_karp54", "verner87", "rk4", "velocity_verlet", "impulse_euler_doubling", "theta", "auto"}) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            IntegratorSettings settings = fixed(method, 2);
            settings.boundary = boundary;
            settings.budget = 200;
            World world = mixed_world(settings);
            WorldSettings all = world.settings();
            all.energy_ledger = boundary == Boundary::RunAhead;
            world.set_settings(all);
            world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
            BodyDesc ground;
            ground.motion = MotionType::Static;
            ground.shape = Plane{};
            ground.pose.position = {0.0, -3.0, 0.0};
            world.create_body(ground);
            for (int i = 0; i < 4; ++i) {
                BodyDesc desc;
                desc.mass = 1.0;
                desc.shape = Sphere{0.2};
                desc.pose.position = {5.0 + 0.3 * i, -2.8 + 0.05 * i, 0.0};
                desc.linear_velocity = {-1.0, 0.0, 0.1 * i};
                desc.material = {.friction = 0.5, .restitution = 0.5};
                world.create_body(desc);
            }
            for (int frame = 0; frame < 25; ++frame) {
                world.advance(kFrame);
            }
            worlds.push_back(std::move(world));
        }
    }
    return worlds;
}

constexpr double kSoon = 1.0; // s: a good one takes below a millisecond

} // namespace

TEST_CASE("bytes that were changed and sealed again are restored or refused, soon, and the world lives on") {
    std::mt19937_64 random(7);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    int restored = 0, refused = 0;
    double longest = 0.0;
    for (World& world : worlds_to_damage()) {
        CAPTURE(world.settings().integrator.method);
        const WorldSnapshot good = world.snapshot();
        const std::vector<std::byte> bytes = payload_of(good);
        for (int trial = 0; trial < 400; ++trial) {
            std::vector<std::byte> payload = bytes;
            const std::size_t changes = 1 + below(3);
            for (std::size_t i = 0; i < changes; ++i) {
                const std::size_t at = below(payload.size());
                switch (below(6)) {
                case 0: // a bit
                    payload[at] ^= static_cast<std::byte>(1u << below(8));
                    break;
                case 1: // a byte
                    payload[at] = static_cast<std::byte>(below(256));
                    break;
                case 2: // a count of four or eight bytes, as large as can be
                    std::fill_n(payload.begin() + static_cast<std::ptrdiff_t>(at),
                                std::min<std::size_t>(below(2) == 0 ? 4 : 8, payload.size() - at), std::byte{0xff});
                    break;
                case 3: { // a count that would be believed
                    const std::uint32_t count = 1u << (10 + below(21));
                    std::memcpy(payload.data() + at, &count, std::min(sizeof count, payload.size() - at));
                    break;
                }
                case 4: { // a number: of any size
                    const double number = std::ldexp(1.0, static_cast<int>(below(2000)) - 1000);
                    std::memcpy(payload.data() + at, &number, std::min(sizeof number, payload.size() - at));
                    break;
                }
                default: // more bytes, or fewer
                    if (below(2) == 0) {
                        payload.resize(at + 1);
                    } else {
                        payload.insert(payload.begin() + static_cast<std::ptrdiff_t>(at), 64, std::byte{1});
                    }
                }
            }
            const std::uint64_t before = world.hash();
            const double time = time_of_restore(world, sealed(good, payload));
            longest = std::max(longest, time);
            REQUIRE(time < kSoon);
            if (world.hash() == before) {
                ++refused;
            } else {
                ++restored;
            }
            for (const BodyId id : world.bodies()) {
                const glm::dvec3 place = world.pose(id).position;
                REQUIRE(std::isfinite(glm::dot(place, glm::dvec3(1.0))));
            }
            world.restore(good);
        }
        world.advance(kFrame);
    }
    MESSAGE("restored ", restored, ", refused ", refused, ", longest ", longest, " s");
    CHECK(refused > 500);
}

TEST_CASE("a count that speaks of more than a world has is refused, however many bytes come with it") {
    // A ledger of one field; behind its numbers stands how many fields it has booked.
    World world({.energy_ledger = true});
    world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
    world.advance(kFrame);
    const WorldSnapshot good = world.snapshot();
    const std::vector<std::byte> bytes = payload_of(good);
    const std::uint64_t one = 1;
    int found = 0;
    for (std::size_t at = 0; at + sizeof one <= bytes.size(); ++at) {
        if (std::memcmp(bytes.data() + at, &one, sizeof one) != 0) {
            continue;
        }
        ++found;
        for (const std::uint64_t count : {std::uint64_t{2'000'001}, std::uint64_t{0xffffffff}, ~std::uint64_t{0}}) {
            std::vector<std::byte> payload = bytes;
            std::memcpy(payload.data() + at, &count, sizeof count);
            payload.insert(payload.begin() + static_cast<std::ptrdiff_t>(at + sizeof count), 32'000'000, std::byte{0});
            CHECK_THROWS_AS(world.restore(sealed(good, payload)), std::invalid_argument);
            CHECK(time_of_restore(world, sealed(good, payload)) < kSoon);
            CHECK(payload_of(world.snapshot()) == bytes);
        }
    }
    CHECK(found > 0);
}

TEST_CASE("pairs of contacts that are not in the order in which bodies were created are refused") {
    World world;
    BodyDesc ground;
    ground.motion = MotionType::Static;
    ground.shape = Plane{};
    world.create_body(ground);
    for (const double x : {0.0, 5.0}) {
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = Sphere{0.1};
        desc.pose.position = {x, 0.1, 0.0};
        world.create_body(desc);
    }
    world.advance(kFrame);
    const WorldSnapshot good = world.snapshot();
    std::vector<std::byte> payload = payload_of(good);
    // How many pairs there are, and the bodies of the first one; behind what it remembers those of the second one. The
    // upper bit says that their colliders are the only ones.
    const std::uint32_t only = 0x80000000u;
    const std::uint32_t front[] = {2, only, 1};
    const std::uint32_t second[] = {only, 2};
    const auto place_of = [&](auto from, const auto& numbers) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(numbers);
        return std::search(from, payload.end(), bytes, bytes + sizeof numbers);
    };
    const auto found = place_of(payload.begin(), front);
    REQUIRE(found != payload.end());
    const auto next = place_of(found, second);
    REQUIRE(next != payload.end());
    std::swap_ranges(next, next + sizeof second, found + 4);
    CHECK_THROWS_AS(world.restore(sealed(good, payload)), std::invalid_argument);
    CHECK(payload_of(world.snapshot()) == payload_of(good));
}
