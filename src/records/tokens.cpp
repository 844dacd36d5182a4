// SPDX-License-Identifier: Apache-2.0
#include "records/tokens.hpp"

#include <algorithm>
#include <cstring>

#include "crivo/error.hpp"

namespace crivo::records {

namespace {

constexpr std::size_t kCountSize = 4;

// A text of 16 bytes, of which a token's own come first.
struct alignas(kMaxToken) Text {
  std::byte bytes[kMaxToken] = {};
};

// The tokens by number, made ready to be copied.
struct TokenTable {
  TokenTable(const TokenList& tokens, unsigned bits)
      : known(tokens.size()), texts(std::size_t{1} << bits), sizes(std::size_t{1} << bits) {
    for (std::size_t t = 0; t < TokenList::kSingles; ++t) {
      texts[t].bytes[0] = static_cast<std::byte>(t);
      sizes[t] = 1;
    }
    for (std::size_t t = TokenList::kSingles; t < tokens.size(); ++t) {
      const base::ByteView text = tokens.text(t);
      std::ranges::copy(text, texts[t].bytes);
      sizes[t] = static_cast<std::uint8_t>(text.size());
    }
  }

  std::size_t known;  // the tokens that there are; all below
  std::vector<Text> texts;
  std::vector<std::uint8_t> sizes;  // 0: there is no such token
};

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
    if (!Packed::count(stored, tokens) || !has_all(stored, tokens)) return false;
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
    const Text* const texts = table_.texts.data();
    const std::uint8_t* const sizes = table_.sizes.data();
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
    if (table_.known == table_.texts.size()) return true;
    std::size_t greatest = 0;
    for (std::size_t i = 0; i < tokens; ++i) {
      greatest = std::max<std::size_t>(greatest, Packed::get(stored.data(), i));
    }
    return greatest < table_.known;
  }

  const TokenTable& table_;
  std::uint64_t longest_raw_;
  std::uint64_t capacity_;
  std::unique_ptr<std::byte[]> buffer_;
};

template <typename Packed>
class TokenCodec final : public Codec {
 public:
  explicit TokenCodec(base::ByteView dictionary)
      : tokens_(TokenList::decode(dictionary, std::size_t{1} << Packed::kBits)),
        table_(tokens_, Packed::kBits) {}

  std::unique_ptr<Decoder> decoder(std::uint64_t longest_raw) const override {
    return std::make_unique<TokenDecoder<Packed>>(table_, longest_raw);
  }

 private:
  TokenList tokens_;
  TokenTable table_;
};

}  // namespace

TokenList TokenList::decode(base::ByteView dictionary, std::size_t most) {
  TokenList tokens;
  if (dictionary.empty()) return tokens;
  base::FieldReader fields(dictionary, "the record store's dictionary of tokens");
  const std::size_t count = fields.u32();
  if (count == 0 || count > most - kSingles) fields.fail("has an impossible number of tokens");
  const base::ByteView sizes = fields.take((count + 1) / 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = (static_cast<std::size_t>(sizes[i / 2]) >> (i % 2 * 4) & 15) + 1;
    if (size < 2) fields.fail("has a token of one byte");
    tokens.add(fields.take(size));
  }
  if (count % 2 != 0 && static_cast<unsigned>(sizes.back()) > 15) fields.fail("has a length over");
  fields.expect_end();
  return tokens;
}

base::Bytes TokenList::encode() const {
  if (ends_.empty()) return {};
  base::Bytes bytes(kCountSize + (ends_.size() + 1) / 2);
  base::store_le(bytes.data(), static_cast<std::uint32_t>(ends_.size()));
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    bytes[kCountSize + i / 2] |=
        static_cast<std::byte>((text(kSingles + i).size() - 1) << (i % 2 * 4));
  }
  bytes.insert(bytes.end(), bytes_.begin(), bytes_.end());
  return bytes;
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

std::unique_ptr<const Codec> open_tokens(base::ByteView dictionary, unsigned bits) {
  if (bits == Packed12::kBits) return std::make_unique<TokenCodec<Packed12>>(dictionary);
  return std::make_unique<TokenCodec<Packed16>>(dictionary);
}

}  // namespace crivo::records
