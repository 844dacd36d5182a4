// SPDX-License-Identifier: Apache-2.0
#include "ship/contents.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "crivo/error.hpp"
#include "file/content_id.hpp"

namespace crivo::file {
namespace {

constexpr std::string_view kContentsBegin = "# Crivo contents 1\n";
constexpr std::uint64_t kMostSetBytes = std::uint64_t{1} << 63;
constexpr std::size_t kMostNameBytes = 1024;
constexpr std::size_t kMostPartBytes = 255;

std::optional<Digest> sha256_of(std::string_view text) {
  static constexpr std::string_view kHexDigits = "0123456789abcdef";
  Digest digest{};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const std::size_t high = kHexDigits.find(text[2 * i]);
    const std::size_t low = kHexDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    digest[i] = static_cast<std::byte>(high << 4 | low);
  }
  return digest;
}

/// Takes what is before `end`, and `end`, from the front of `text`.
std::optional<std::string_view> take_before(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

/// Takes one file from the front of `text`.
std::optional<PublishedFile> take_file(std::string_view& text) {
  if (!text.starts_with("# ")) return std::nullopt;
  text.remove_prefix(2);
  const auto bytes_text = take_before(text, " bytes\n");
  const auto hex = take_before(text, "  ");
  const auto name = take_before(text, "\n");
  if (!bytes_text || !hex || !name || !is_published_name(*name)) return std::nullopt;
  const auto bytes = base::number_in<std::uint64_t>(*bytes_text);
  const auto sha256 = sha256_of(*hex);
  if (!bytes || std::to_string(*bytes) != *bytes_text || !sha256) return std::nullopt;
  return PublishedFile{std::string(*name), *bytes, *sha256};
}

/// Whether one of two neighbours in the order is a directory of the other.
bool is_inside(std::string_view name, std::string_view directory) {
  return name.starts_with(directory) && name.substr(directory.size()).starts_with('/');
}

}  // namespace

std::string contents_name(std::uint64_t sequence) {
  return std::string(kContentsName) + "-" + std::to_string(sequence);
}

std::string object_name(const Digest& sha256) {
  return "files/" + to_hex(sha256);
}

bool is_published_name(std::string_view name) {
  if (name.empty() || name.size() > kMostNameBytes || !is_utf8(name)) return false;
  if (name.find('\\') != name.npos || escape(name) != name) return false;
  if (name == kContentsName || name == "contents.minisig") return false;
  while (true) {
    const std::size_t end = std::min(name.find('/'), name.size());
    if (end == 0 || end > kMostPartBytes || name.front() == '.' || name.front() == '-')
      return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
    if (name.empty()) return false;
  }
}

std::string encode(const Contents& contents) {
  std::string text(kContentsBegin);
  for (const PublishedFile& one : contents)
    text +=
        "# " + std::to_string(one.bytes) + " bytes\n" + to_hex(one.sha256) + "  " + one.name + "\n";
  return text;
}

Contents decode_contents(std::string_view text, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::corrupt, name + ": " + why, {.file = name});
  };
  if (!text.starts_with(kContentsBegin)) refuse("is not a list of published files of version 1");
  text.remove_prefix(kContentsBegin.size());
  Contents contents;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const PublishedFile one = take_file(text).value_or(PublishedFile{});
    if (one.name.empty()) refuse("a line of it names no file");
    if (!contents.empty() && contents.back().name >= one.name)
      refuse("has names that are not in order");
    if (one.bytes >= kMostSetBytes - sum) refuse("has files that are too long");
    sum += one.bytes;
    contents.push_back(one);
  }
  for (const PublishedFile& one : contents) {
    const auto after = std::ranges::upper_bound(contents, one.name + "/", {}, &PublishedFile::name);
    if (after != contents.end() && is_inside(after->name, one.name))
      refuse(quote(one.name) + " is a file and a directory");
  }
  return contents;
}

}  // namespace crivo::file
