// SPDX-License-Identifier: Apache-2.0
#include "records/build/spread_sample.hpp"

#include <algorithm>
#include <utility>

#include "records/build/zstd_encoder.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

namespace {

void append(base::Bytes& to, std::string_view text) {
  const base::ByteView bytes = base::as_bytes(text);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void PieceSample::add(std::string_view key, std::string_view record) {
  const std::size_t size = key.size() + record.size();
  for (std::size_t begin = 0; begin < size; begin += kPieceBytes) {
    if ((place_ + begin) / kPieceBytes % step_ == 0) {
      keep(key, record, begin, std::min(kPieceBytes, size - begin));
    }
  }
  place_ += size;
}

void PieceSample::keep(std::string_view key, std::string_view record, std::size_t begin,
                       std::size_t size) {
  const std::size_t of_key = begin < key.size() ? std::min(size, key.size() - begin) : 0;
  if (of_key != 0) append(bytes_, key.substr(begin, of_key));
  if (of_key != size) append(bytes_, record.substr(begin + of_key - key.size(), size - of_key));
  sizes_.push_back(size);
  windows_.push_back((place_ + begin) / kPieceBytes);
  while (bytes_.size() > most_ && sizes_.size() > 1) thin();
}

void PieceSample::thin() {
  step_ *= 2;
  std::size_t kept = 0;
  auto to = bytes_.begin();
  auto from = bytes_.begin();
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const auto end = from + static_cast<std::ptrdiff_t>(sizes_[i]);
    if (windows_[i] % step_ == 0) {
      to = std::copy(from, end, to);
      sizes_[kept] = sizes_[i];
      windows_[kept++] = windows_[i];
    }
    from = end;
  }
  bytes_.erase(to, bytes_.end());
  sizes_.resize(kept);
  windows_.resize(kept);
}

std::uint64_t JudgeSample::windows(std::uint64_t place, std::uint64_t size) const noexcept {
  if (size <= kWindowBytes) return place / kWindowBytes % step_ == 0 ? 1 : 0;
  const std::uint64_t interval = kWindowBytes * step_;
  return (place + size + interval - 1) / interval - (place + interval - 1) / interval;
}

double JudgeSample::weight(const Judge& judge) const noexcept {
  const auto kept = static_cast<double>(windows(judge.place, judge.size) * step_);
  if (judge.size <= kWindowBytes) return kept;
  return kept * static_cast<double>(kWindowBytes) / static_cast<double>(judge.size);
}

void JudgeSample::add(std::string_view key, std::string_view record) {
  const std::uint64_t size = key.size() + record.size();
  const std::uint64_t place = place_;
  place_ += size;
  if (windows(place, size) == 0) return;
  const std::string_view front =
      record.substr(0, size <= kWindowBytes ? record.size() : kFrontBytes);
  judges_.push_back({bytes_.size(), static_cast<std::uint32_t>(key.size()),
                     static_cast<std::uint32_t>(front.size()), size, place});
  append(bytes_, key);
  append(bytes_, front);
  while (bytes_.size() + judges_.size() * sizeof(Judge) > most_ && judges_.size() > 1) thin();
}

void JudgeSample::thin() {
  step_ *= 2;
  std::vector<Judge> kept;
  base::Bytes bytes;
  for (Judge judge : judges_) {
    if (windows(judge.place, judge.size) == 0) continue;
    const std::string_view text =
        base::as_text(bytes_).substr(judge.begin, std::size_t{judge.key_size} + judge.front);
    judge.begin = bytes.size();
    append(bytes, text);
    kept.push_back(judge);
  }
  judges_ = std::move(kept);
  bytes_ = std::move(bytes);
}

void BlockSample::add(std::string_view key, std::string_view record) {
  if (cutter_.begins(key, record)) sizes_.push_back(0);
  if (sizes_.back() == kTrainedFront) return;
  const std::size_t before = bytes_.size();
  append_raw_record(bytes_, key, record);
  const std::size_t size = std::min(kTrainedFront, sizes_.back() + bytes_.size() - before);
  bytes_.resize(before + size - sizes_.back());
  sizes_.back() = size;
}

}  // namespace crivo::records
