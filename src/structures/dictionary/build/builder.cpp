// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/build/builder.hpp"

#include <algorithm>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "structures/dictionary/block.hpp"
#include "structures/dictionary/build/directory.hpp"
#include "structures/dictionary/directory.hpp"
#include "structures/dictionary/reader.hpp"
#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {
namespace {

constexpr std::size_t kBatchKeys = 4096;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kPendingBytes = std::size_t{1} << 16;
constexpr std::size_t kEntryHead = 8;  // u32 what is shared, u32 what follows

/// Above the last key before, and at most the next one, as short as can be.
std::string separator(std::string_view before, std::string_view next) {
  return std::string(next.substr(0, base::shared_bytes(before, next) + 1));
}

/// Where blocks begin: for each group of kGroup a number, for each block that from it.
class OffsetWriter {
 public:
  explicit OffsetWriter(base::Scratch* scratch) : sizes_(scratch) {}

  void add(const std::vector<std::uint32_t>& sizes) {
    base::FieldWriter fields;
    for (const std::uint32_t size : sizes) {
      fields.u32(size);
      if (blocks_ % kGroup == 0) group_ = 0;
      group_ += size;
      widest_ = std::max(widest_, group_);
      ++blocks_;
      bytes_ += size;
    }
    sizes_.append(fields.view());
  }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint16_t offset_bytes() const noexcept {
    return widest_ <= UINT16_MAX ? 2 : widest_ <= UINT32_MAX ? 4 : 8;
  }
  void finish(base::Sink& to) const {
    // The groups stand before the blocks: sizes are read twice.
    for (const bool groups : {true, false}) {
      std::uint64_t block = 0;
      std::uint64_t begin = 0;
      std::uint64_t group = 0;
      base::FieldWriter fields;
      const auto put = [&] {
        if (block % kGroup == 0) group = begin;
        if (groups && block % kGroup == 0) fields.u64(group);
        if (!groups) put_offset(fields, begin - group);
      };
      put();
      sizes_.for_each([&](base::ByteView sizes) {
        for (; !sizes.empty(); sizes = sizes.subspan(sizeof(std::uint32_t))) {
          begin += base::load_le<std::uint32_t>(sizes.data());
          ++block;
          put();
        }
        to.append(fields.view());
        fields = {};
      });
      to.append(fields.view());
    }
  }

 private:
  void put_offset(base::FieldWriter& fields, std::uint64_t offset) const {
    switch (offset_bytes()) {
      case 2:
        fields.u16(static_cast<std::uint16_t>(offset));
        break;
      case 4:
        fields.u32(static_cast<std::uint32_t>(offset));
        break;
      default:
        fields.u64(offset);
    }
  }

  base::Spool sizes_;  ///< u32 each
  std::uint64_t blocks_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t group_ = 0;
  std::uint64_t widest_ = 0;
};

/// Tokens, the lowest bits first, without a gap: the same bytes as BlockEncoder's.
class TokenPacker {
 public:
  TokenPacker(unsigned token_bits, base::Sink& to) : token_bits_(token_bits), to_(to) {}

  void put(const std::vector<std::uint16_t>& tokens) {
    for (const std::uint16_t token : tokens) {
      waiting_ |= std::uint64_t{token} << bits_;
      for (bits_ += token_bits_; bits_ >= 8; bits_ -= 8) take_byte();
    }
    to_.append(bytes_);
    bytes_.clear();
  }
  /// Fills the last byte of a block with zeros.
  void finish() {
    if (bits_ != 0) take_byte();
    bits_ = 0;
    to_.append(bytes_);
    bytes_.clear();
  }

 private:
  void take_byte() {
    bytes_.push_back(static_cast<std::byte>(waiting_));
    waiting_ >>= 8;
  }

  unsigned token_bits_;
  base::Sink& to_;
  std::uint64_t waiting_ = 0;
  unsigned bits_ = 0;  ///< of those
  base::Bytes bytes_;
};

}  // namespace

Builder::Builder(const Shape& shape, const base::BuildContext& context)
    : context_(context), token_bits_(shape.token_bits), keys_(context.scratch) {
  head_.block_keys = shape.block_keys;
  if (shape.values) values_.emplace(shape.block_keys, context.scratch);
}

void Builder::add(std::string_view key, std::uint64_t value) {
  add(key);
  if (values_) values_->add(value);
}

void Builder::add(std::string_view key) {
  if (key.size() > kMostKeyBytes)
    throw Error(ErrorKind::bad_input, "a key of " + std::to_string(key.size()) +
                                          " bytes is too long: a dictionary's have at most " +
                                          std::to_string(kMostKeyBytes));
  const bool begins_block = head_.keys % head_.block_keys == 0;
  const std::size_t shared = base::shared_bytes(last_, key);
  const std::string_view rest = key.substr(begins_block ? 0 : shared);
  for (const char byte : rest) singles_[static_cast<unsigned char>(byte)] = true;
  rest_bytes_ += rest.size();
  sample_.add(rest);
  const std::uint64_t at = keys_.size() + pending_.size();
  if (begins_block && (batches_.empty() || batches_.back().keys >= kBatchKeys ||
                       at - batches_.back().begin >= kBatchBytes)) {
    batches_.push_back({at, head_.keys, 0});
  }
  ++batches_.back().keys;
  put(static_cast<std::uint32_t>(begins_block ? 0 : shared), rest);
  last_ = key;
  head_.longest_key = std::max<std::uint64_t>(head_.longest_key, key.size());
  ++head_.keys;
}

void Builder::put(std::uint32_t shared, std::string_view rest) {
  const std::size_t at = pending_.size();
  pending_.resize(at + kEntryHead);
  base::store_le(pending_.data() + at, shared);
  base::store_le(pending_.data() + at + 4, static_cast<std::uint32_t>(rest.size()));
  const base::ByteView bytes = base::as_bytes(rest);
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  if (pending_.size() < kPendingBytes) return;
  keys_.append(pending_);
  pending_.clear();
}

Trained Builder::choose_tokens() {
  const Sample sample = std::exchange(sample_, {}).finish();
  const auto trained = [&](const Sample& some, unsigned bits) {
    const std::size_t bytes = std::max<std::size_t>(some.bytes.size(), 1);
    return train(some, singles_, bits,
                 static_cast<double>(rest_bytes_) / static_cast<double>(bytes));
  };
  const auto each = [&](std::size_t step) {
    Sample part;
    std::size_t number = 0;
    sample.for_each([&](std::string_view text) {
      if (number++ % step == 0) part.add(text);
    });
    return part;
  };
  unsigned bits = token_bits_;
  if (bits == 0) {
    // A part of the sample tells which width is best.
    constexpr std::array<unsigned, 3> kWidths{8, 10, 12};
    const Sample part = each(8);
    std::array<double, kWidths.size()> bytes{};
    base::parallel_for(context_.threads, kWidths.size(),
                       [&](std::uint64_t i) { bytes[i] = trained(part, kWidths[i]).bytes; });
    const auto best = std::min_element(bytes.begin(), bytes.end()) - bytes.begin();
    bits = kWidths[static_cast<std::size_t>(best)];
  }
  // For few tokens half of a large sample tells as much.
  const bool is_half = bits == 8 && sample.bytes.size() > RankSample::kBytes / 2;
  return trained(is_half ? each(2) : sample, bits);
}

std::uint64_t Builder::end_of(const Batch& batch) const noexcept {
  return &batch == &batches_.back() ? keys_.size() : (&batch)[1].begin;
}

bool Builder::is_large(const Batch& batch) const noexcept {
  return end_of(batch) - batch.begin > 2 * kBatchBytes;
}

template <typename Use>
void Builder::for_each_kept(const Batch& batch, const Use& use) const {
  const std::uint64_t end = end_of(batch);
  std::uint64_t next = batch.begin;
  base::Bytes stored;
  std::size_t at = 0;
  const auto want = [&](std::size_t bytes) {
    if (stored.size() - at >= bytes) return;
    stored.erase(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(at));
    at = 0;
    const std::size_t held = stored.size();
    stored.resize(held + static_cast<std::size_t>(std::min<std::uint64_t>(
                             end - next, std::max(bytes - held, kBatchBytes))));
    keys_.read(next, std::span(stored).subspan(held));
    next += stored.size() - held;
  };
  for (std::uint64_t i = 0; i != batch.keys; ++i) {
    want(kEntryHead);
    const auto shared = base::load_le<std::uint32_t>(stored.data() + at);
    const auto size = base::load_le<std::uint32_t>(stored.data() + at + 4);
    at += kEntryHead;
    want(size);
    use(i, shared, std::string_view(reinterpret_cast<const char*>(stored.data()) + at, size));
    at += size;
  }
}

void Builder::for_each_key(std::size_t batch,
                           const std::function<void(std::string_view key)>& use) const {
  std::string key;
  for_each_kept(batches_[batch], [&](std::uint64_t, std::uint32_t shared, std::string_view rest) {
    key.replace(shared, key.npos, rest);
    use(key);
  });
}

Builder::Encoded Builder::encode(const Batch& batch, const TokenTrie& trie) const {
  Encoded encoded;
  BlockEncoder block(head_.token_bits);
  Cutter cutter(trie);
  std::string key;
  for_each_kept(batch, [&](std::uint64_t i, std::uint32_t shared, std::string_view rest) {
    if (i % head_.block_keys == 0) {
      if (i == 0) {
        encoded.first = rest;
      } else {
        encoded.separators.push_back(separator(key, rest));
      }
    }
    key.resize(shared);
    key += rest;
    const std::size_t before = block.tokens().size();
    cutter.cut(rest, block.tokens());
    block.add(shared, block.tokens().size() - before);
    if (block.keys() == head_.block_keys || i + 1 == batch.keys) {
      const std::size_t begin = encoded.bytes.size();
      block.finish(encoded.bytes);
      encoded.sizes.push_back(static_cast<std::uint32_t>(encoded.bytes.size() - begin));
    }
  });
  encoded.last = std::move(key);
  return encoded;
}

/// The same where the keys are so long that not even one block is to be in memory: each is cut
/// twice, first for what stands before the tokens of all.
Builder::Encoded Builder::encode_large(const Batch& batch, const TokenTrie& trie,
                                       base::Sink& to) const {
  Encoded encoded;
  std::vector<base::Bytes> fronts;  // of the blocks
  BlockEncoder block(head_.token_bits);
  Cutter cutter(trie);
  std::string key;
  for_each_kept(batch, [&](std::uint64_t i, std::uint32_t shared, std::string_view rest) {
    if (i == 0) {
      encoded.first = rest;
    } else if (i % head_.block_keys == 0) {
      encoded.separators.push_back(separator(key, rest));
    }
    key.resize(shared);
    key += rest;
    block.tokens().clear();
    cutter.cut(rest, block.tokens());
    block.add(shared, block.tokens().size());
    if (block.keys() == head_.block_keys || i + 1 == batch.keys) {
      const std::size_t tokens = block.write_front(fronts.emplace_back());
      encoded.sizes.push_back(static_cast<std::uint32_t>(
          fronts.back().size() + base::div_ceil(tokens * head_.token_bits, std::size_t{8})));
    }
  });
  encoded.last = std::move(key);
  TokenPacker packer(head_.token_bits, to);
  for_each_kept(batch, [&](std::uint64_t i, std::uint32_t, std::string_view rest) {
    if (i % head_.block_keys == 0) {
      packer.finish();
      to.append(fronts[static_cast<std::size_t>(i / head_.block_keys)]);
    }
    block.tokens().clear();
    cutter.cut(rest, block.tokens());
    packer.put(block.tokens());
  });
  packer.finish();
  return encoded;
}

void Builder::finish(const BeginPart& begin) {
  keys_.append(pending_);
  base::free_memory(pending_);
  const Trained trained = choose_tokens();
  head_.token_bits = static_cast<std::uint16_t>(trained.bits);
  begin(Part::tokens).append(encode_tokens(trained.tokens));

  const TokenTrie trie(trained.tokens);
  DirectoryBuilder directory(context_.scratch);
  OffsetWriter offsets(context_.scratch);
  base::Sink& blocks = begin(Part::blocks);
  std::string last;
  base::parallel_ordered(
      context_.threads, batches_.size(),
      [&](std::uint64_t i) {
        return is_large(batches_[i]) ? Encoded() : encode(batches_[i], trie);
      },
      [&](std::uint64_t i, Encoded encoded) {
        if (is_large(batches_[i])) {
          encoded = encode_large(batches_[i], trie, blocks);
        } else {
          blocks.append(encoded.bytes);
        }
        offsets.add(encoded.sizes);
        directory.add(i == 0 ? std::string() : separator(last, encoded.first));
        for (const std::string& text : encoded.separators) directory.add(text);
        last = encoded.last;
        context_.progress.add(batches_[i].keys);
      });
  blocks.append(base::Bytes(kPadding));
  head_.block_bytes = offsets.bytes();
  head_.offset_bytes = offsets.offset_bytes();
  offsets.finish(begin(Part::offsets));
  head_.directory_bytes = directory.finish(begin(Part::directory));
  if (values_) values_->finish(begin(Part::values));
  begin(Part::head).append(head_.encode());
}

}  // namespace crivo::dictionary
