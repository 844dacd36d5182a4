// SPDX-License-Identifier: Apache-2.0
#include "foreign/puffin_file.hpp"

#include <optional>

#include "base/text.hpp"
#include "crivo/error.hpp"
#include "input/json_members.hpp"
#include "input/places.hpp"

namespace crivo::foreign::puffin {
namespace {

constexpr input::Place kNoPlace{};

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::corrupt, name + ": " + problem, {.file = name});
}

std::string unescaped(const input::JsonText& found) {
  std::string text(found.text);
  if (found.has_escapes) text.resize(input::unescape_json(found.text, text.data(), kNoPlace));
  return text;
}

std::uint64_t number(std::string_view blob, std::string_view member, const std::string& name) {
  const auto found = input::json_member(blob, member, kNoPlace);
  const auto value = found ? base::number_in<std::uint64_t>(found->text) : std::nullopt;
  if (!value) fail(name, "a blob has no sound " + std::string(member));
  return *value;
}

Blob read_blob(std::string_view json, base::ByteView body, const std::string& name) {
  const auto type = input::json_member(json, "type", kNoPlace);
  if (!type) fail(name, "a blob has no type");
  Blob blob;
  blob.type = unescaped(*type);
  const auto codec = input::json_member(json, "compression-codec", kNoPlace);
  blob.is_compressed = codec && codec->text != "null";
  const std::uint64_t begin = number(json, "offset", name);
  const std::uint64_t bytes = number(json, "length", name);
  if (begin < kMagic.size() || begin > body.size() || bytes > body.size() - begin)
    fail(name, "a blob is not within the file");
  blob.bytes = body.subspan(begin, bytes);
  if (const auto properties = input::json_member(json, "properties", kNoPlace)) {
    if (const auto own = input::json_member(properties->text, kNameProperty, kNoPlace))
      blob.name = unescaped(*own);
  }
  return blob;
}

}  // namespace

std::vector<Blob> read_blobs(base::ByteView file, const std::string& name) {
  if (file.size() < 2 * kMagic.size() + kEndBytes || !base::as_text(file).starts_with(kMagic) ||
      !base::as_text(file).ends_with(kMagic))
    fail(name, "does not begin and end as a Puffin file");
  const base::ByteView end = file.last(kEndBytes);
  const std::uint64_t length = base::load_le<std::uint32_t>(end.data());
  const auto flags = base::load_le<std::uint32_t>(end.data() + 4);
  if (length > file.size() - 2 * kMagic.size() - kEndBytes)
    fail(name, "the footer is longer than the file");
  if (flags != 0)
    throw Error(ErrorKind::usage, name + ": the footer is compressed, or of a later version");
  const std::uint64_t at = file.size() - kEndBytes - length;  // of the JSON
  const base::ByteView body = file.first(at - kMagic.size());
  if (base::as_text(file.subspan(body.size(), kMagic.size())) != kMagic)
    fail(name, "the footer does not begin as one");
  const std::string_view json = base::as_text(file.subspan(at, length));
  try {
    std::vector<Blob> blobs;
    const auto list = input::json_member(json, "blobs", kNoPlace);
    if (!list) fail(name, "the footer names no blobs");
    for (const std::string_view each : input::json_items(list->text, kNoPlace))
      blobs.push_back(read_blob(each, body, name));
    return blobs;
  } catch (const input::InputFault& fault) {
    fail(name, std::string("the footer is ") + fault.what());
  }
}

}  // namespace crivo::foreign::puffin
