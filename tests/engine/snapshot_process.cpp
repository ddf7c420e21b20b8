// Restores a snapshot in a process of its own, continues it, and prints the hash it arrives at.
//   snapshot_process FILE FRAMES
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "test_worlds.h"

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        return 2;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    substep::WorldSnapshot snapshot;
    for (const char byte : bytes) {
        snapshot.bytes.push_back(static_cast<std::byte>(byte));
    }
    substep::World world = engine_tests::mixed_world({}); // settings come with the snapshot
    world.restore(snapshot);
    for (int frame = std::atoi(arguments[2]); frame > 0; --frame) {
        world.advance(engine_tests::kFrame);
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(world.hash()));
    return 0;
}
