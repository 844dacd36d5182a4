// SPDX-License-Identifier: Apache-2.0
#include "records/build/token_encoder.hpp"

#include "records/build/token_matcher.hpp"
#include "records/packed_tokens.hpp"
#include "records/tokens.hpp"

namespace crivo::records {

namespace {

template <typename Packed>
class TokenEncoder final : public Encoder {
 public:
  explicit TokenEncoder(const TokenMatcher& matcher) : matcher_(matcher) {}

  bool encode(base::ByteView raw, base::Bytes& stored) override {
    const std::size_t begin = stored.size();
    stored.resize(begin + raw.size());
    std::byte* const out = stored.data() + begin;
    std::size_t tokens = 0;
    std::size_t at = 0;
    // At least a byte shorter: what put() writes has room.
    while (at < raw.size() && Packed::size(tokens + 1) < raw.size()) {
      const TokenMatcher::Match match = matcher_.longest(raw.subspan(at));
      Packed::put(out, tokens++, match.token);
      at += match.size;
    }
    const bool shorter = at == raw.size() && !raw.empty();
    stored.resize(begin + (shorter ? Packed::size(tokens) : 0));
    return shorter;
  }

 private:
  const TokenMatcher& matcher_;
};

template <typename Packed>
class TokenEncoding final : public Encoding {
 public:
  explicit TokenEncoding(base::ByteView dictionary) {
    const TokenList tokens = TokenList::decode(dictionary, std::size_t{1} << Packed::kBits);
    for (std::size_t t = TokenList::kSingles; t < tokens.size(); ++t)
      matcher_.insert(tokens.text(t), static_cast<std::uint32_t>(t));
  }

  std::unique_ptr<Encoder> encoder() const override {
    return std::make_unique<TokenEncoder<Packed>>(matcher_);
  }

 private:
  TokenMatcher matcher_;
};

}  // namespace

std::unique_ptr<const Encoding> open_token_encoding(base::ByteView dictionary, unsigned bits) {
  if (bits == Packed12::kBits) return std::make_unique<TokenEncoding<Packed12>>(dictionary);
  return std::make_unique<TokenEncoding<Packed16>>(dictionary);
}

}  // namespace crivo::records
