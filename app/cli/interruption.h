// SIGINT and SIGTERM: a program ends after what it is doing, and what it was to write is written whole.
#pragma once

namespace substep {

/// From now on SIGINT and SIGTERM are noted, for `is_interrupted`. The first one prints `notice` on stderr, if there is
/// one (it must live on); a second one, a quarter of a second later or more, ends the program at once.
void note_interruptions(const char* notice = nullptr);

/// Whether one of them came.
bool is_interrupted() noexcept;

} // namespace substep
