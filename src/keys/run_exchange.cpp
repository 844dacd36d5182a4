#include "keys/run_exchange.hpp"

#include <algorithm>
#include <utility>

namespace crivo::keys {

template <typename Element>
RunExchange<Element>::RunExchange(Element* memory, std::uint64_t blocks,
                                  std::vector<std::vector<Run>> runs)
    : memory_(memory), runs_(std::move(runs)), contents_(blocks) {
  for (std::size_t p = 0; p < runs_.size(); ++p) {
    for (std::size_t r = 0; r < runs_[p].size(); ++r) {
      contents_[runs_[p][r].block] = {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(r)};
    }
  }
  // Room for all of them, so that freeing one cannot fail while other threads wait for it.
  std::vector<std::uint64_t> room;
  room.reserve(blocks);
  free_ = std::priority_queue<std::uint64_t>({}, std::move(room));
  for (std::uint64_t b = 0; b < blocks; ++b) {
    if (contents_[b].partition == kFree) free_.push(b);
  }
}

template <typename Element>
void RunExchange<Element>::gather(std::size_t partition, std::span<Element> elements) {
  std::vector<Run> runs;
  {
    const std::scoped_lock lock(mutex_);
    runs = std::move(runs_[partition]);
    for (const Run& run : runs) contents_[run.block].partition = kGathered;
  }
  auto to = elements.begin();
  for (const Run& run : runs) to = std::copy_n(block(run.block), run.size, to);
  {
    const std::scoped_lock lock(mutex_);
    for (const Run& run : runs) {
      contents_[run.block].partition = kFree;
      free_.push(run.block);
    }
  }
  freed_.notify_all();
}

template <typename Element>
void RunExchange<Element>::clear(std::uint64_t begin, std::uint64_t end) {
  std::unique_lock lock(mutex_);
  for (std::uint64_t b = begin / kBlockBytes; b * kBlockBytes < end; ++b) {
    Content& content = contents_[b];
    while (content.partition < kPlace || content.partition == kGathered) {
      if (move_away(content, b)) break;
      freed_.wait(lock);
    }
    content.partition = kPlace;  // or it was one, shared with the partition before or after
  }
}

/// Moves the run in block `from` to a free block; false if there is none yet, or the run is being
/// gathered.
template <typename Element>
bool RunExchange<Element>::move_away(Content& content, std::uint64_t from) {
  if (content.partition == kGathered) return false;
  while (!free_.empty() && contents_[free_.top()].partition != kFree) free_.pop();
  if (free_.empty()) return false;
  const std::uint64_t to = free_.top();
  free_.pop();
  Run& run = runs_[content.partition][content.run];
  std::copy_n(block(from), run.size, block(to));
  run.block = to;
  contents_[to] = content;
  return true;
}

template class RunExchange<Hash128>;
template class RunExchange<HashedValue>;
template class RunExchange<PlacedValue>;

}  // namespace crivo::keys
