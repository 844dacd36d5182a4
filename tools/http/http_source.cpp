// SPDX-License-Identifier: Apache-2.0
#include "http/http_source.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include "crivo/error.hpp"
#include "http/shown_url.hpp"

namespace crivo::http {
namespace {

/// minisign's limit of a trusted comment, and what is around it.
constexpr std::uint64_t kMostSignatureBytes = std::uint64_t{18} << 10;

class HttpSource final : public ByteSource {
 public:
  HttpSource(Client& client, std::string url, bool with_signature)
      : client_(client), url_(std::move(url)), with_signature_(with_signature) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    FileEnds ends;
    std::vector<Request> requests{{url_, "0-" + std::to_string(head - 1), head, into(ends.head)},
                                  {.url = url_,
                                   .range = "-" + std::to_string(tail),
                                   .most_bytes = tail,
                                   .take = into(ends.tail),
                                   .or_nothing = true}};
    if (with_signature_) {
      requests.push_back({.url = url_ + ".minisig",
                          .most_bytes = kMostSignatureBytes,
                          .take = [&](std::span<const std::byte> bytes) {
                            for (const std::byte byte : bytes)
                              ends.signature += static_cast<char>(byte);
                          }});
    }
    const std::vector<Reply> replies = client_.get(requests);
    if (!replies[0].found || !replies[1].found) {
      ends.is_there = false;
      return ends;
    }
    if (with_signature_ && !replies[2].found)
      throw Error(ErrorKind::corrupt,
                  shown_url(url_) + ".minisig: is missing, but the file must be signed",
                  {.file = shown_url(url_)});
    ends.length = replies[0].length;
    version_ = replies[0].version;
    length_ = ends.length;
    check(replies[0], 0, std::min(head, length_));
    const ByteRange end{length_ - std::min(tail, length_), std::min(tail, length_)};
    if (replies[1].bytes != 0 || end.length == 0) {
      check(replies[1], end.offset, end.length);
    } else {  // a server, as some object stores, that counts ranges from the beginning alone
      ends.tail = read(std::span(&end, 1)).front();
    }
    return ends;
  }

  std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) override {
    std::vector<std::vector<std::byte>> all(ranges.size());
    std::vector<Request> requests;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto [offset, length] = ranges[i];
      requests.push_back({url_, std::to_string(offset) + "-" + std::to_string(offset + length - 1),
                          length, into(all[i])});
    }
    const std::vector<Reply> replies = client_.get(requests);
    for (std::size_t i = 0; i < ranges.size(); ++i)
      check(replies[i], ranges[i].offset, ranges[i].length);
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& problem, int system_error = 0) const {
    const std::string shown = shown_url(url_);
    throw Error(
        ErrorKind::io, shown + ": " + problem,
        {.file = shown, .line = {}, .section = {}, .byte = {}, .system_error = system_error});
  }

  static std::function<void(std::span<const std::byte>)> into(std::vector<std::byte>& all) {
    return [&all](std::span<const std::byte> bytes) {
      all.insert(all.end(), bytes.begin(), bytes.end());
    };
  }

  void check(const Reply& reply, std::uint64_t begin, std::uint64_t bytes) const {
    if (!reply.found || reply.length != length_ || reply.version != version_)
      fail("was changed while it was read; open it again", ESTALE);
    if (reply.begin != begin || reply.bytes != bytes)
      fail("the server sent another range than it was asked for");
  }

  Client& client_;
  std::string url_;
  bool with_signature_;
  std::uint64_t length_ = 0;
  std::string version_;
};

}  // namespace

std::string url_beside(const std::string& url, const std::string& name) {
  constexpr std::string_view kPlain = "-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string beside = url.substr(0, url.rfind('/') + 1);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != kPlain.npos) {
      beside += c;
    } else {
      beside += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return beside;
}

std::unique_ptr<ByteSource> source_of(Client& client, std::string url, bool with_signature) {
  return std::make_unique<HttpSource>(client, std::move(url), with_signature);
}

}  // namespace crivo::http
