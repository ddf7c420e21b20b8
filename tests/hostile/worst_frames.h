// The costliest frames of random lives.
#pragma once

#include <cstdint>

namespace hostile {

/// Lives `count` random lives from seed `first` on, once by default and once with a budget of 200 evaluations for each
/// body, and prints the frames that took the longest, each with its seed: time of a thread, first frames after an edit
/// apart. Returns false if one of the others took more than 100 ms, or a life ended otherwise than it should.
bool measure_frames(unsigned long count, std::uint64_t first, unsigned workers);

} // namespace hostile
