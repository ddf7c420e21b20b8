// Parts of an archive that run once per block.
#include "archive/archive.h"

#include <algorithm>
#include <cstring>

namespace substep::detail {

void ArchiveWriter::make_room(std::size_t least) {
    hand_on();
    block_.resize(std::max(block_.size(), block_used_ + least));
}

void ArchiveWriter::hand_on() {
    const auto whole = std::span(block_).first(block_used_ - block_used_ % FastHash::kBlock);
    hash_.add_blocks(whole);
    bytes_.insert(bytes_.end(), whole.begin(), whole.end());
    block_used_ -= whole.size();
    std::memmove(block_.data(), block_.data() + whole.size(), block_used_);
}

std::uint64_t ArchiveWriter::finish() {
    hand_on();
    const auto rest = std::span(block_).first(block_used_);
    bytes_.insert(bytes_.end(), rest.begin(), rest.end());
    block_used_ = 0;
    return hash_.finish(rest);
}

} // namespace substep::detail
