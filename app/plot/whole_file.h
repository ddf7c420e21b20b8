// Files that are written as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace substep {

/// Writes a file beside the path and moves it there once it is complete: a reader never sees half of it, and what was
/// there stays where that fails. A file that is replaced keeps its mode, and a link goes on leading to it. Devices,
/// pipes and /dev/stdout are written to as they are. Throws std::runtime_error naming the path, also for a folder and a
/// file that must not be written.
void write_whole_file(const std::string& path, std::string_view bytes);

} // namespace substep
