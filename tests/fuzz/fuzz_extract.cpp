// SPDX-License-Identifier: Apache-2.0
/// Bytes as a collection: the first byte chooses what is extracted, the second how records are
/// written, and the options. It is read to its end, or refused where it is strict; twice alike.
#include <cstdlib>
#include <string>
#include <vector>

#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "fuzz/fuzz_input.hpp"
#include "input/compression.hpp"

namespace {

using namespace crivo;

struct Found {
  std::vector<std::string> keys;
  ExtractSummary summary;
};

/// Throws Error(usage) for options that do not go together.
Found found_in(const std::string& path, const ExtractOptions& options) {
  Found found;
  Progress progress;
  const KeyInput input = extracted_keys({path}, options, found.summary);
  try {
    read_keys(input, progress, [&](const KeyBlock& block) {
      found.keys.insert(found.keys.end(), block.keys.begin(), block.keys.end());
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) std::abort();
  }
  return found;
}

/// What must hold of keys, whatever the bytes were.
void check(const Found& found, const ExtractOptions& options) {
  const keys::KeyForm form = keys::form_of(options);
  if (keys::parse_form(keys::form_text(form)) != form) std::abort();
  for (const std::string& key : found.keys) {
    if (key.empty() || key.size() > kMaxKeyBytes) std::abort();
    if (form.what == Extract::terms && keys::key_of(form, key) != key) std::abort();
    if (form.what == Extract::kmers && key.size() != (options.binary ? 8U : 16U)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file;
  if (size < 2) return 0;
  ExtractOptions options;
  options.what = static_cast<Extract>(data[0] % kExtractNames.size());
  options.from = static_cast<Collection>(data[1] % collections().size());
  const unsigned flags = data[1] / collections().size();
  options.surt = options.what == Extract::urls && (flags & 1) != 0;
  options.fold = (flags & 1) == 0;
  options.once = (flags & 2) != 0;
  options.binary = (flags & 2) != 0;
  options.distinct = (flags & 4) != 0;
  options.strict = (flags & 8) != 0;
  options.k = 1 + data[0] / kExtractNames.size() % kMostBases;
  // Pages may be packed, so that few bytes have a thousand times as many terms.
  constexpr std::size_t kMostPages = 4096;
  if (options.what == Extract::terms && size > kMostPages) return 0;
  file.fill(data + 2, size - 2);
  // Small files may be packed ones of any size: those are for fuzz_keys.
  const std::span<const char> head(reinterpret_cast<const char*>(data) + 2,
                                   std::min(size - 2, input::kMaxMagicBytes));
  if (input::detect_compression(head, true) != input::Compression::none) return 0;
  try {
    const Found found = found_in(file.path(), options);
    check(found, options);
    if (found_in(file.path(), options).keys != found.keys) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
