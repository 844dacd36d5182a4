// SPDX-License-Identifier: Apache-2.0
// Puffin files of Crivo's filters.
#include <array>
#include <cstdio>
#include <set>
#include <string>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "base/text.hpp"
#include "build/build_frame.hpp"
#include "crivo/build/foreign.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "file/mapped_file.hpp"
#include "file/pending_file.hpp"
#include "foreign/puffin_file.hpp"

namespace crivo::foreign {
namespace {

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      json += c;
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
    json += escape.data();
  }
  return json + '"';
}

std::string rate_text(double rate) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", rate);
  return text.data();
}

/// Checks a file, appends it, and returns what the footer says of it.
std::string append_blob(const std::filesystem::path& path, const std::string& fields,
                        file::Appender& to) {
  const std::string name = path.filename().string();
  if (!is_utf8(name))
    throw Error(ErrorKind::usage, path.string() + ": the name of a blob is UTF-8, which it is not");
  if (inspect(path).kind != "filter")
    throw Error(ErrorKind::usage, path.string() + ": is not a filter in a file of its own");
  const file::MappedFile bytes(path, file::Loading::for_a_pass);
  const Filter filter = Filter::open(bytes.bytes(), {.verify = true});
  const std::uint64_t begin = to.size();
  to.append(bytes.bytes());
  return R"({"type":)" + json_text(puffin::kFilterType) + R"(,"fields":[)" + fields +
         R"(],"snapshot-id":-1,"sequence-number":-1,"offset":)" + std::to_string(begin) +
         R"(,"length":)" + std::to_string(bytes.bytes().size()) + R"(,"properties":{)" +
         json_text(puffin::kNameProperty) + ":" + json_text(name) + R"(,"keys":")" +
         std::to_string(filter.size()) + R"(","fpr":")" + rate_text(filter.fpr()) + R"("}})";
}

}  // namespace

void write_puffin(std::span<const std::filesystem::path> filters,
                  std::span<const std::uint32_t> fields, const std::filesystem::path& output,
                  const BuildOptions& options) try {
  std::set<std::string> names;
  KeyInput inputs;
  for (const std::filesystem::path& path : filters) {
    if (!names.insert(path.filename().string()).second)
      throw Error(ErrorKind::usage, path.string() + ": another filter has that name");
    inputs.paths.push_back(path.string());
  }
  std::string ids;
  for (const std::uint32_t field : fields) ids += (ids.empty() ? "" : ",") + std::to_string(field);
  index::BuildFrame frame(options);
  file::PendingFile file(frame.outputs().file(output, inputs));
  file::Appender to(file);
  to.append(base::as_bytes(puffin::kMagic));
  std::string blobs;
  for (const std::filesystem::path& path : filters)
    blobs += (blobs.empty() ? "" : ",") + append_blob(path, ids, to);
  const std::string json = R"({"blobs":[)" + blobs + R"(],"properties":{"created-by":"crivo"}})";
  if (json.size() > INT32_MAX)
    throw Error(ErrorKind::usage, "there are too many filters for a footer");
  to.append(base::as_bytes(puffin::kMagic));
  to.append(base::as_bytes(json));
  to.append(base::FieldWriter()
                .u32(static_cast<std::uint32_t>(json.size()))
                .u32(0)
                .bytes(base::as_bytes(puffin::kMagic))
                .view());
  to.flush();
  (void)file.publish();
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo::foreign
