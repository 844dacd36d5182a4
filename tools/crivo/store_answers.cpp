// SPDX-License-Identifier: Apache-2.0
#include "crivo/store_answers.hpp"

#include <atomic>
#include <optional>

#include "crivo/error.hpp"
#include "crivo/text.hpp"

namespace crivo::cli {
namespace {

constexpr std::size_t kKeys = std::size_t{1} << 20;
constexpr std::size_t kKeyBytes = std::size_t{64} << 20;
/// Records that are found when this is full are looked up again when it is their turn.
constexpr std::size_t kRecordBytes = std::size_t{256} << 20;

struct Found {
  Store::Status status = Store::Status::absent;
  std::optional<std::string> record;
};

}  // namespace

void StoreAnswers::add(std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    texts_ += key;
    ends_.push_back(texts_.size());
  }
}

bool StoreAnswers::full() const noexcept {
  return ends_.size() >= kKeys || texts_.size() >= kKeyBytes;
}

void StoreAnswers::answer(const Visit& visit) {
  const std::string texts = std::exchange(texts_, {});
  std::vector<std::string_view> keys;
  keys.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    keys.push_back(std::string_view(texts).substr(begin, end - begin));
    begin = end;
  }
  ends_.clear();

  std::vector<Found> found(keys.size());
  std::atomic<std::size_t> kept{0};
  store_.find_all(keys, [&](std::size_t i, const Store::Answer& answer) {
    found[i].status = answer.status;
    if (answer.status == Store::Status::found &&
        kept.fetch_add(answer.record.size(), std::memory_order_relaxed) < kRecordBytes) {
      found[i].record = answer.record;
    }
  });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Store::Answer answer{found[i].status, {}};
    if (const auto& record = found[i].record) {
      answer.record = *record;
    } else if (answer.status == Store::Status::found) {
      answer = reader_.find(keys[i]);
    }
    if (answer.status == Store::Status::damaged) {
      throw Error(ErrorKind::corrupt,
                  path_ + ": damaged: the record of " + quote(keys[i]) + " fails its checksum");
    }
    visit(keys[i], answer.status == Store::Status::found ? &answer.record : nullptr);
  }
}

}  // namespace crivo::cli
