// Files that are written as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace substep {

/// Writes a file beside the path and moves it there once it is complete: a reader never sees half of it, and what was
/// there stays where that fails. Throws std::runtime_error naming the path.
void write_whole_file(const std::string& path, std::string_view bytes);

} // namespace substep
