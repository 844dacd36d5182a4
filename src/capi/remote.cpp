// SPDX-License-Identifier: Apache-2.0
/// Lookups in files that functions of the program read.
#include "crivo/remote.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo.h"
#include "crivo/error.hpp"

struct crivo_remote {
  crivo::Remote remote;
};

namespace crivo::capi {
namespace {

/// The most that a file of minisign has.
constexpr std::size_t kMostSignatureBytes = std::size_t{18} << 10;

/// One file of a crivo_source.
class SourceOfC final : public ByteSource {
 public:
  /// `beside` is the name of a file beside the one that is opened, which messages call `shown`.
  SourceOfC(const crivo_source& source, std::string shown, std::optional<std::string> beside,
            bool is_signed)
      : source_(source),
        shown_(std::move(shown)),
        beside_(std::move(beside)),
        is_signed_(is_signed) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    FileEnds ends;
    ends.head.resize(head);
    ends.tail.resize(tail);
    ends.signature.resize(is_signed_ ? kMostSignatureBytes : 0);
    crivo_ends room{0,
                    ends.head.data(),
                    ends.head.size(),
                    ends.tail.data(),
                    ends.tail.size(),
                    ends.signature.data(),
                    ends.signature.size(),
                    0};
    const int problem = source_.read_ends(source_.context, name(), &room);
    if (problem == ENOENT) {
      ends.is_there = false;
      return ends;
    }
    check(problem);
    check_signature(room.signature_size);
    ends.length = room.length;
    ends.head.resize(std::min<std::uint64_t>(head, room.length));
    ends.tail.resize(std::min<std::uint64_t>(tail, room.length));
    ends.signature.resize(room.signature_size);
    return ends;
  }

  std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) override {
    std::vector<std::vector<std::byte>> all;
    std::vector<crivo_range> asked;
    for (const ByteRange& range : ranges) {
      std::vector<std::byte>& bytes = all.emplace_back(range.length);
      asked.push_back({range.offset, range.length, bytes.data()});
    }
    check(source_.read_ranges(source_.context, name(), asked.data(), asked.size()));
    return all;
  }

 private:
  const char* name() const noexcept { return beside_ ? beside_->c_str() : nullptr; }

  void check(int problem) const {
    if (problem == 0) return;
    if (problem == ECANCELED) fail_cancelled();
    throw Error(ErrorKind::io,
                shown_ + ": cannot be read: " + std::generic_category().message(problem),
                {.file = shown_, .line = {}, .section = {}, .byte = {}, .system_error = problem});
  }
  void check_signature(std::size_t size) const {
    const std::string file = shown_ + ".minisig";
    if (is_signed_ && size == 0)
      throw Error(ErrorKind::corrupt, file + ": is missing, but the file must be signed",
                  {.file = file});
    if (size > (is_signed_ ? kMostSignatureBytes : 0))
      throw Error(ErrorKind::io, file + ": is longer than there was room for", {.file = file});
  }

  crivo_source source_;
  std::string shown_;
  std::optional<std::string> beside_;
  bool is_signed_;
};

RemoteOptions remote_options(const std::string& name, const crivo_source& source,
                             const crivo_remote_options* given) {
  const crivo_remote_options program = taken(given);
  RemoteOptions options{.name = name, .open_sibling = [name, source](const std::string& beside) {
                          return std::make_unique<SourceOfC>(source, name + ": its file " + beside,
                                                             beside, false);
                        }};
  if (program.trust != nullptr) options.trust = trust_of(*program.trust);
  if (program.cache_bytes != 0) options.cache_bytes = program.cache_bytes;
  if (program.cache_folder != nullptr) options.cache_folder = program.cache_folder;
  if (program.cache_folder_bytes != 0) options.cache_folder_bytes = program.cache_folder_bytes;
  return options;
}

/// Numbers as a filter of ranges takes them: their 8 bytes, the highest first.
std::vector<std::uint64_t> turned(const crivo_keys& keys) {
  const std::span numbers(static_cast<const std::uint64_t*>(keys.data), keys.count);
  std::vector<std::uint64_t> all(numbers.begin(), numbers.end());
  for (std::uint64_t& number : all) {
    auto bytes = std::bit_cast<std::array<char, 8>>(number);
    std::ranges::reverse(bytes);
    number = std::bit_cast<std::uint64_t>(bytes);
  }
  return all;
}

crivo_bytes bytes_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

crivo_found found_of(std::size_t index, std::string_view key, const Answer& answer) noexcept {
  return {index, bytes_of(key), answer.found ? CRIVO_ANSWER_FOUND : CRIVO_ANSWER_ABSENT,
          bytes_of(answer.text), bytes_of(answer.value)};
}

void find_many(OpenIndex& index, const crivo_keys& keys, crivo_use_found use, void* context) {
  std::vector<std::uint64_t> numbers;
  crivo_keys asked = keys;
  if (index.takes_ranges() && number_in(keys.layout) == CRIVO_LAYOUT_NUMBERS) {
    numbers = turned(keys);
    asked.data = numbers.data();
  }
  std::vector<std::string_view> texts(keys.count);
  put_texts(asked, 0, texts);
  std::size_t next = 0;
  index.answer(texts, [&](std::string_view key, const Answer& answer) {
    if (!answer.is_further) ++next;
    const crivo_found found = found_of(next - 1, key, answer);
    if (use(context, &found) != 0) fail_cancelled();
  });
}

void answer_query(OpenIndex& index, const std::string& query, const crivo_keys& values,
                  crivo_use_found use, void* context) {
  if (number_in(values.layout) == CRIVO_LAYOUT_NUMBERS)
    throw Error(ErrorKind::usage, "the values of a query are texts");
  std::vector<std::string_view> views(values.count);
  put_texts(values, 0, views);
  const std::vector<std::string> texts(views.begin(), views.end());
  std::size_t next = 0;
  index.query(query, texts, [&](std::string_view key, const Answer& answer) {
    const crivo_found found = found_of(next++, key, answer);
    if (use(context, &found) != 0) fail_cancelled();
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_remote_open(const char* name, const crivo_source* source,
                               const crivo_remote_options* options, crivo_remote** remote) {
  return capi::call({{"source", source}, {"remote", remote}}, [&] {
    const std::string shown = capi::needed(name, "the name");
    const crivo_source program = capi::taken(source);
    capi::check_given({{"read_ends", program.read_ends != nullptr ? source : nullptr},
                       {"read_ranges", program.read_ranges != nullptr ? source : nullptr}});
    const RemoteOptions asked = capi::remote_options(shown, program, options);
    *remote = new crivo_remote{Remote::open(
        std::make_unique<capi::SourceOfC>(program, shown, std::nullopt, asked.trust.has_value()),
        asked)};
  });
}
void crivo_remote_close(crivo_remote* remote) {
  delete remote;
}
crivo_status crivo_remote_info(crivo_remote* remote, crivo_info* info) {
  return capi::call({{"remote", remote}},
                    [&] { capi::give_info(remote->remote.index().info(), info); });
}
crivo_status crivo_remote_signature(const crivo_remote* remote, crivo_signature* signature) {
  return capi::call({{"remote", remote}, {"signature", signature}}, [&] {
    const std::optional<Signature>& checked = remote->remote.signature();
    if (!checked) throw Error(ErrorKind::usage, "the file was opened without a trust");
    capi::give_signature(*checked, signature);
  });
}
crivo_status crivo_remote_verify(crivo_remote* remote, const crivo_resources* resources) {
  return capi::verify_opened({"remote", remote}, resources,
                             [&](const Resources& taken) { remote->remote.index().verify(taken); });
}
crivo_status crivo_remote_find_many(crivo_remote* remote, const crivo_keys* keys,
                                    crivo_use_found use, void* context) {
  return capi::call({{"remote", remote}, {"use", use}}, [&] {
    capi::find_many(remote->remote.index(), capi::needed_keys(keys), use, context);
  });
}
crivo_status crivo_remote_query(crivo_remote* remote, const char* query, const crivo_keys* values,
                                crivo_use_found use, void* context) {
  return capi::call({{"remote", remote}, {"use", use}}, [&] {
    const std::string name = capi::needed(query, "the query");
    capi::answer_query(remote->remote.index(), name, capi::needed_keys(values), use, context);
  });
}
