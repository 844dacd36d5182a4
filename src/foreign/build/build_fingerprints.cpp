// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "crivo/error.hpp"
#include "file/pending_file.hpp"
#include "foreign/build/builds.hpp"
#include "foreign/build/fingerprint_builder.hpp"
#include "foreign/fingerprint_filter.hpp"
#include "input/places.hpp"

namespace crivo::foreign {
namespace {

/// Throws Error(usage) for what is asked for and such a filter has no place for.
void refuse_others(const Choices& choices, const BuildOptions& options) {
  for (const auto& [name, value] : choices)
    base::refuse_option(name, "the format leaves no choice but the width in its name");
  if (options.keyed_hash) base::refuse_option("keyed_hash", "the format has a hash of its own");
  if (!options.notes.empty()) base::refuse_option("notes", "the format has no metadata");
  if (!options.resume_dir.empty())
    base::refuse_option("resume_dir", "the build of such a filter cannot be resumed");
}

/// Throws Error(bad_input), with file and line, for the second of two equal keys of some whose
/// numbers repeat: there may be none, as keys that differ can have one hash.
void refuse_repeats(FingerprintLayout layout, const KeyInput& input,
                    const std::vector<std::uint64_t>& repeated, Progress& progress) {
  if (!input::regular_input_bytes(input)) {
    throw Error(ErrorKind::bad_input, input::input_name(input, 0) + ": some keys come twice",
                {.remedy = "ignore_duplicates"});
  }
  std::unordered_map<std::uint64_t, std::string> first;
  read_keys(input, progress, [&](const KeyBlock& block) {
    for (std::size_t i = 0; i < block.keys.size(); ++i) {
      const std::uint64_t number = number_of_key(layout, block.keys[i], i + 1);
      if (!std::ranges::binary_search(repeated, number)) continue;
      const auto [at, is_new] = first.emplace(number, block.keys[i]);
      if (!is_new && at->second == block.keys[i])
        throw Error(ErrorKind::bad_input, "duplicate key " + quote(block.keys[i]),
                    {.line = i + 1, .remedy = "ignore_duplicates"});
    }
  });
}

}  // namespace

BuildSummary build_fingerprints(const FormatInfo& info, FingerprintLayout layout, unsigned bytes,
                                const KeyInput& input, const Output& output, const Choices& choices,
                                const BuildOptions& options) {
  refuse_others(choices, options);
  index::BuildFrame frame(options);
  const base::BuildContext context = frame.context();
  file::PendingFile file(frame.outputs().file(output, input));
  constexpr Progress::Phase kPhases[] = {{"read", 1}, {"build", 4}, {"write", 1}};
  context.progress.plan(kPhases);
  context.progress.begin("read", input::regular_input_bytes(input).value_or(0),
                         Progress::Unit::bytes);
  std::vector<std::uint64_t> keys;
  read_keys(input, context.progress, [&](const KeyBlock& block) {
    for (std::size_t i = 0; i < block.keys.size(); ++i)
      keys.push_back(number_of_key(layout, block.keys[i], i + 1));
    if (keys.size() * kPeeledKeyBytes > frame.memory().budget().bytes)
      throw Error(ErrorKind::io,
                  "the format's filters are built in memory, of " +
                      std::to_string(kPeeledKeyBytes) + " bytes a key",
                  {.remedy = "memory"});
  });
  const std::size_t read = keys.size();
  std::ranges::sort(keys);
  std::vector<std::uint64_t> repeated;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] == keys[i - 1]) repeated.push_back(keys[i]);
  }
  if (!repeated.empty() && !options.ignore_duplicates)
    refuse_repeats(layout, input, repeated, context.progress);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

  FingerprintShape shape = shape_for(layout, bytes, keys.size());
  const base::Bytes fingerprints = build_fingerprints(shape, keys, options.seed, context.progress);
  const base::Bytes head = encode_head(shape);
  context.progress.begin("write", 0);
  file.write_at(0, head);
  file.write_at(head.size(), fingerprints);
  BuildSummary summary;
  summary.kind = info.kind;
  summary.algorithm = info.name;
  summary.algorithm_name = "format";
  summary.format_version = "1";
  summary.keys = keys.size();
  summary.duplicates = options.ignore_duplicates ? read - keys.size() : 0;
  summary.bytes = head.size() + fingerprints.size();
  summary.seed = options.seed;
  summary.threads = 1;
  summary.fpr = bytes == 1 ? 0x1p-8 : 0x1p-16;
  frame.summary().warn_of_no_keys(input::input_name(input, 0), read, summary.warnings);
  file::add_warnings(summary.warnings, file.publish());
  frame.end(summary);
  return summary;
}

}  // namespace crivo::foreign
