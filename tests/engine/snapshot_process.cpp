// Restores a snapshot in a process of its own, continues it, and prints the hash it arrives at, and the energy's
// ledger.
//   snapshot_process FILE FRAMES mixed | eventful
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "contact_worlds.h"

int main(int argument_count, char** arguments) {
    if (argument_count != 4) {
        return 2;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    substep::WorldSnapshot snapshot;
    for (const char byte : bytes) {
        snapshot.bytes.push_back(static_cast<std::byte>(byte));
    }
    const bool eventful = std::string_view(arguments[3]) == "eventful";
    substep::World world = eventful ? engine_tests::eventful_world({}) : engine_tests::mixed_world({});
    world.set_settings({}); // they come with the snapshot
    world.restore(snapshot);
    for (int frame = std::atoi(arguments[2]); frame > 0; --frame) {
        world.advance(engine_tests::kFrame);
    }
    std::printf("%016llx", static_cast<unsigned long long>(world.hash()));
    if (world.settings().energy_ledger) {
        const substep::EnergyLedger ledger = world.energy_ledger();
        std::printf(" %a %a %a", ledger.friction, ledger.restitution, ledger.remainder());
    }
    std::printf("\n");
    return 0;
}
