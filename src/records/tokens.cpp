// SPDX-License-Identifier: Apache-2.0
#include "records/tokens.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "crivo/error.hpp"

namespace crivo::records {

namespace {

// So many tokens stand together in a dictionary.
constexpr std::size_t kGroup = 128;
static_assert(TokenList::kSingles % kGroup == 0);

// The groups of a dictionary, of which none was read.
class TokenGroups {
 public:
  // Throws as TokenList::decode() does, but for what is in the groups.
  TokenGroups(const base::CheckedBytes& dictionary, std::size_t most) {
    if (dictionary.bytes.empty()) return;
    base::FieldReader fields(dictionary, kName);
    tokens_ = fields.u32();
    if (tokens_ == 0 || tokens_ > most - TokenList::kSingles)
      fields.fail("has an impossible number of tokens");
    for (std::size_t left = (tokens_ + kGroup - 1) / kGroup; left != 0; --left)
      begins_.push_back(begins_.back() + fields.u16());
    bytes_ = fields.take(begins_.back());
    fields.expect_end();
  }
  static constexpr std::string_view kName = "the record store's dictionary of tokens";

  std::size_t tokens() const noexcept { return tokens_; }  // from 256 on
  std::size_t size() const noexcept { return begins_.size() - 1; }
  base::ByteView bytes(std::size_t group) const noexcept {
    return bytes_.subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }
  // Calls use(token, text) for those of a group, in order; false where that is malformed.
  template <typename Use>
  bool for_each(std::size_t group, const Use& use) const {
    const std::size_t first = group * kGroup;
    const std::size_t count = std::min(kGroup, tokens_ - first);
    base::ByteView texts = bytes(group);
    if (texts.size() < (count + 1) / 2) return false;
    const base::ByteView sizes = texts.first((count + 1) / 2);
    texts = texts.subspan(sizes.size());
    if (count % 2 != 0 && static_cast<unsigned>(sizes.back()) > 15) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = (static_cast<std::size_t>(sizes[i / 2]) >> (i % 2 * 4) & 15) + 1;
      if (size < 2 || size > texts.size()) return false;
      use(TokenList::kSingles + first + i, texts.first(size));
      texts = texts.subspan(size);
    }
    return texts.empty();
  }

 private:
  std::size_t tokens_ = 0;
  std::vector<std::uint32_t> begins_{0};  // of groups in bytes_, and their end
  base::ByteView bytes_;
};

[[noreturn]] void fail_group() {
  throw Error(ErrorKind::corrupt, std::string(TokenGroups::kName) + ": has a malformed group");
}

// A text of 16 bytes, of which a token's own come first.
struct alignas(kMaxToken) Text {
  std::byte bytes[kMaxToken];
};

// The tokens by number, made ready to be copied: group by group, each when it is first asked for,
// so that a store that was just opened reads some pages of its dictionary and not all. What is made
// ready is a copy of bytes that were sound. For any number of threads.
class TokenTable {
 public:
  // All are made ready now if the dictionary has no checks. Throws as TokenList::decode() does.
  TokenTable(const base::CheckedBytes& dictionary, unsigned bits);

  // Whether there is a token of each number.
  bool is_full() const noexcept { return known_ == sizes_.size(); }
  std::size_t known() const noexcept { return known_; }  // all below
  // Whether all texts are ready.
  bool is_ready() const noexcept { return missing_.load(std::memory_order_acquire) == 0; }
  // Makes those of an encoded unit ready, and some more, so that all are before long. False if the
  // unit has a token that there is not, or one that is damaged.
  template <typename Packed>
  [[gnu::noinline]] bool make_ready(base::ByteView stored, std::size_t tokens) const noexcept;

  const Text* texts() const noexcept { return texts_.get(); }
  const std::uint8_t* sizes() const noexcept { return sizes_.data(); }

 private:
  bool has(std::size_t group) const noexcept { return has_[group].load(std::memory_order_acquire); }
  bool load(std::size_t group) const noexcept;
  void load_another() const noexcept;

  struct Free {
    void operator()(Text* texts) const noexcept { std::free(texts); }
  };

  base::Pages pages_;
  TokenGroups groups_;
  std::size_t known_;
  mutable std::vector<std::uint8_t> sizes_;
  std::unique_ptr<Text[], Free> texts_;

  mutable std::mutex mutex_;  // of those who write sizes_, texts_ and missing_
  mutable std::vector<std::atomic<bool>> has_;
  mutable std::atomic<std::size_t> missing_;
  mutable std::atomic<std::size_t> next_ = 0;  // all before are there
};

TokenTable::TokenTable(const base::CheckedBytes& dictionary, unsigned bits)
    : pages_(dictionary.checks),
      groups_(dictionary, std::size_t{1} << bits),
      known_(TokenList::kSingles + groups_.tokens()),
      sizes_(std::size_t{1} << bits),
      // Zeros that take no memory before they are written.
      texts_(static_cast<Text*>(std::calloc(sizes_.size(), sizeof(Text)))),
      has_(groups_.size()),
      missing_(groups_.size()) {
  if (!texts_) throw std::bad_alloc();
  for (std::size_t t = 0; t < TokenList::kSingles; ++t) {
    texts_[t].bytes[0] = static_cast<std::byte>(t);
    sizes_[t] = 1;
  }
  if (pages_.are_checked()) return;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!load(group)) fail_group();
  }
}

bool TokenTable::load(std::size_t group) const noexcept {
  const std::scoped_lock lock(mutex_);
  if (has(group)) return true;
  const base::ByteView stored = groups_.bytes(group);
  if (!pages_.touch(stored.data(), stored.size())) return false;
  const bool is_well_formed = groups_.for_each(group, [&](std::size_t token, base::ByteView text) {
    std::ranges::copy(text, texts_[token].bytes);
    sizes_[token] = static_cast<std::uint8_t>(text.size());
  });
  std::atomic_signal_fence(std::memory_order_acquire);  // what was read may have lost the bytes
  if (!is_well_formed || (pages_.are_checked() && pages_.checks()->is_lost())) return false;
  has_[group].store(true, std::memory_order_release);
  missing_.store(missing_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  return true;
}

// Not where some bytes of the file are damaged: who does not ask for them is not to meet them.
void TokenTable::load_another() const noexcept {
  if (pages_.damage().load(std::memory_order_relaxed)) return;
  std::size_t next = next_.load(std::memory_order_relaxed);
  while (next < has_.size() && has(next)) ++next;
  next_.store(next, std::memory_order_relaxed);
  if (next < has_.size()) load(next);
}

template <typename Packed>
bool TokenTable::make_ready(base::ByteView stored, std::size_t tokens) const noexcept {
  bool are_sound = true;
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::size_t token = Packed::get(stored.data(), i);
    if (token >= known_) return false;
    if (token < TokenList::kSingles) continue;
    const std::size_t group = (token - TokenList::kSingles) / kGroup;
    are_sound = (has(group) || load(group)) && are_sound;
  }
  if (are_sound) load_another();
  return are_sound;
}

template <typename Packed>
class TokenDecoder final : public Decoder {
 public:
  // Where every token of a unit may have 16 bytes and there is still room, none is looked at.
  TokenDecoder(const TokenTable& table, std::uint64_t longest_raw)
      : table_(table),
        longest_raw_(longest_raw),
        capacity_(std::max(longest_raw, std::min(kMaxToken * longest_raw, kRoomy)) + kMaxToken),
        buffer_(std::make_unique_for_overwrite<std::byte[]>(capacity_)) {}

  bool decode(base::ByteView stored, base::ByteView& raw) noexcept override {
    std::size_t tokens = 0;
    if (!Packed::count(stored, tokens)) return false;
    if (!table_.is_ready()) [[unlikely]] {
      if (!table_.make_ready<Packed>(stored, tokens)) return false;
    } else if (!has_all(stored, tokens)) {
      return false;
    }
    const std::byte* const end =
        tokens <= capacity_ / kMaxToken ? copy<false>(stored, tokens) : copy<true>(stored, tokens);
    if (end == nullptr) return false;
    raw = {buffer_.get(), end};
    return raw.size() <= longest_raw_;
  }

 private:
  static constexpr std::uint64_t kRoomy = std::uint64_t{64} << 10;

  // The texts of the tokens, one after the other; their end, or null.
  template <bool kChecked>
  const std::byte* copy(base::ByteView stored, std::size_t tokens) const noexcept {
    constexpr std::size_t kLoad = sizeof(std::uint64_t);
    const Text* const texts = table_.texts();
    const std::uint8_t* const sizes = table_.sizes();
    std::byte* out = buffer_.get();
    const std::byte* const last = out + capacity_ - kMaxToken;  // where a token may begin
    const auto put = [&](std::size_t token) {
      if (kChecked && out > last) return false;
      std::memcpy(out, texts[token].bytes, kMaxToken);
      out += sizes[token];
      return true;
    };
    const std::byte* in = stored.data();
    std::size_t i = 0;
    for (std::size_t left = stored.size(); left >= kLoad; left -= Packed::kRunBytes) {
      const auto run = base::load_le<std::uint64_t>(in);
      for (unsigned t = 0; t < Packed::kRun; ++t) {
        if (!put(run >> (Packed::kBits * t) & ((1U << Packed::kBits) - 1))) return nullptr;
      }
      in += Packed::kRunBytes;
      i += Packed::kRun;
    }
    for (; i < tokens; ++i) {
      if (!put(Packed::get(stored.data(), i))) return nullptr;
    }
    return out;
  }

  // A full dictionary, as most are, has every token.
  bool has_all(base::ByteView stored, std::size_t tokens) const noexcept {
    if (table_.is_full()) return true;
    std::size_t greatest = 0;
    for (std::size_t i = 0; i < tokens; ++i) {
      greatest = std::max<std::size_t>(greatest, Packed::get(stored.data(), i));
    }
    return greatest < table_.known();
  }

  const TokenTable& table_;
  std::uint64_t longest_raw_;
  std::uint64_t capacity_;
  std::unique_ptr<std::byte[]> buffer_;
};

template <typename Packed>
class TokenCodec final : public Codec {
 public:
  explicit TokenCodec(const base::CheckedBytes& dictionary) : table_(dictionary, Packed::kBits) {}

  std::unique_ptr<Decoder> decoder(std::uint64_t longest_raw) const override {
    return std::make_unique<TokenDecoder<Packed>>(table_, longest_raw);
  }

 private:
  TokenTable table_;
};

}  // namespace

TokenList TokenList::decode(base::ByteView dictionary, std::size_t most) {
  const TokenGroups groups(dictionary, most);
  TokenList tokens;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (!groups.for_each(group, [&](std::size_t, base::ByteView text) { tokens.add(text); }))
      fail_group();
  }
  return tokens;
}

base::Bytes TokenList::encode() const {
  if (ends_.empty()) return {};
  base::FieldWriter fields;
  fields.u32(static_cast<std::uint32_t>(ends_.size()));
  base::Bytes groups;
  for (std::size_t first = 0; first < ends_.size(); first += kGroup) {
    const std::size_t end = std::min(first + kGroup, ends_.size());
    const std::size_t before = groups.size();
    groups.resize(before + (end - first + 1) / 2);
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t size = text(kSingles + i).size();
      groups[before + (i - first) / 2] |= static_cast<std::byte>((size - 1) << (i % 2 * 4));
    }
    const base::ByteView all = bytes_;
    const std::size_t begin = first == 0 ? 0 : ends_[first - 1];
    const base::ByteView texts = all.subspan(begin, ends_[end - 1] - begin);
    groups.insert(groups.end(), texts.begin(), texts.end());
    fields.u16(static_cast<std::uint16_t>(groups.size() - before));
  }
  return fields.bytes(groups).take();
}

base::ByteView TokenList::text(std::size_t token) const noexcept {
  const std::size_t i = token - kSingles;
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return base::ByteView(bytes_).subspan(begin, ends_[i] - begin);
}

void TokenList::add(base::ByteView text) {
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
}

std::unique_ptr<const Codec> open_tokens(const base::CheckedBytes& dictionary, unsigned bits) {
  if (bits == Packed12::kBits) return std::make_unique<TokenCodec<Packed12>>(dictionary);
  return std::make_unique<TokenCodec<Packed16>>(dictionary);
}

}  // namespace crivo::records
