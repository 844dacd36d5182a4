// SPDX-License-Identifier: Apache-2.0
/// Joins deltas, and puts them behind their base.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "crivo/delta.hpp"
#include "file/manifest.hpp"
#include "file/output_lock.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "opening/chain_file.hpp"
#include "opening/kinds.hpp"
#include "opening/open_trusted.hpp"

namespace crivo {
namespace {

using Path = std::filesystem::path;

file::IfExists if_exists(bool replace) noexcept {
  return replace ? file::IfExists::replace : file::IfExists::refuse;
}

/// Throws Error(corrupt) unless `next` follows `before`, whose file is `before_file`.
void check_follows(const file::Container& before_file, const exact::Delta& before,
                   const file::Container& next_file, const exact::Delta& next) {
  if (next.base != before.base)
    next_file.fail("a delta of another base than " + before_file.name() + ": it changes " +
                   file::to_hex(next.base) + ", not " + file::to_hex(before.base));
  const std::uint64_t number = before.number + before.lists.size();
  if (next.number != number) {
    next_file.fail("out of order: it is delta " + std::to_string(next.number) + ", and " +
                   before_file.name() + " is followed by delta " + std::to_string(number));
  }
  const file::Digest state = before.after(before_file.digest());
  if (next.before != state) {
    next_file.fail("does not follow " + before_file.name() + ": it changes the state " +
                   file::to_hex(next.before) + ", not " + file::to_hex(state));
  }
  const file::Header& one = before_file.header();
  const file::Header& other = next_file.header();
  if (one.seed != other.seed || one.key_hash != other.key_hash || before.grouped != next.grouped ||
      before.groups_after() != next.groups)
    next_file.fail("damaged: it does not fit the delta before it");
}

/// The name of a file below the folder of a chain.
std::string name_below(const Path& folder, const Path& file) {
  const Path resolved =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file).parent_path()) /
      file.filename();
  const Path root = std::filesystem::weakly_canonical(std::filesystem::absolute(folder));
  std::string name = resolved.lexically_relative(root).generic_string();
  if (!file::is_part_name(name)) {
    throw Error(ErrorKind::usage, file.string() +
                                      ": is not in the folder of the chain, which names its files "
                                      "by their paths below it");
  }
  return name;
}

}  // namespace

DeltaSummary squash_deltas(std::span<const Path> deltas, const Path& output, bool replace) try {
  if (deltas.empty()) throw Error(ErrorKind::usage, "at least one delta is needed");
  const auto target = file::OutputTarget::file(output, if_exists(replace));
  std::vector<std::string> names;
  for (const Path& path : deltas) names.push_back(path.string());
  target.refuse_inputs(names);
  std::vector<file::Container> files;
  std::vector<exact::Delta> all;
  exact::Delta joined;
  std::string covers;
  std::vector<Coverage> covered;
  files.reserve(deltas.size());
  for (const Path& path : deltas) {
    const file::Container& container =
        files.emplace_back(index::open_kind(path, file::Kind::delta));
    exact::Delta delta = exact::open_delta(container);
    (void)file::naming(container.name(), [&] {
      std::uint64_t groups = delta.groups;
      for (const exact::FlipList& list : delta.lists) {
        exact::FlipReader(list, groups).for_each([](std::size_t, const exact::Flip&) {});
        groups += list.added_groups();
      }
      return 0;
    });
    if (all.empty()) {
      joined = {.base = delta.base,
                .before = delta.before,
                .number = delta.number,
                .grouped = delta.grouped,
                .groups = delta.groups};
    } else {
      check_follows(files[files.size() - 2], all.back(), container, delta);
    }
    joined.lists.insert(joined.lists.end(), delta.lists.begin(), delta.lists.end());
    if (delta.joined.empty()) {
      joined.joined.push_back(container.digest());
    } else {
      joined.joined.insert(joined.joined.end(), delta.joined.begin(), delta.joined.end());
    }
    for (const Coverage& one : exact::covers_of(container)) {
      if (std::ranges::find(covered, one) != covered.end()) continue;
      covered.push_back(one);
      covers += (covers.empty() ? "" : ",") + one.name + "=" + std::to_string(one.low) + ":" +
                std::to_string(one.high);
    }
    all.push_back(std::move(delta));
  }
  if (joined.lists.size() < 2) throw Error(ErrorKind::usage, "at least two deltas are needed");
  file::PendingFile pending(target);
  file::ContainerWriter writer(pending);
  writer.begin_section(file::kFlipSection).append(exact::encode_delta(joined));
  file::Header header = files.front().header();
  header.keys = joined.flips();
  file::Metadata metadata;
  if (!covers.empty()) metadata["crivo.covers"] = covers;
  const auto written = writer.finish(header, metadata);
  DeltaSummary done{.output = output,
                    .bytes = written.bytes,
                    .deltas = joined.lists.size(),
                    .flips = header.keys,
                    .members = joined.lists.back().members,
                    .state = file::to_hex(joined.after(written.digest))};
  file::add_warnings(done.warnings, pending.publish());
  return done;
} catch (...) {
  base::rethrow_as_error();
}

DeltaSummary apply_deltas(const Path& set, std::span<const Path> deltas, const Path& output,
                          const ApplyOptions& options) try {
  if (deltas.empty()) throw Error(ErrorKind::usage, "at least one delta is needed");
  const OpenOptions opening{.trust = options.trust};
  // Two look at what there is only once they may replace it.
  const bool is_same =
      file::OutputTarget::file(set, file::IfExists::replace).is_among({output.string()});
  const auto target = file::OutputTarget::file(output, if_exists(options.replace || is_same));
  std::vector<std::string> names;
  for (const Path& path : deltas) names.push_back(path.string());
  if (!is_same) names.push_back(set.string());
  target.refuse_inputs(names);
  std::optional<file::OutputLock> lock;
  if (is_same) lock.emplace(target);

  file::Container own = exact::open_layered(is_same ? target.place() : set, opening);
  const bool is_chain = own.header().kind == file::Kind::chain;
  if (is_same && !is_chain)
    throw Error(ErrorKind::usage,
                set.string() + ": is the base; name another output for the chain");
  std::vector<Path> paths;
  std::vector<file::Container> files;
  if (is_chain) {
    files = exact::open_links(own, opening);
  } else {
    files.push_back(std::move(own));
  }
  for (const file::Container& file : files) {
    target.refuse_inputs({file.path().string()});
    paths.push_back(file.path());
  }
  for (const Path& path : deltas) {
    file::Container file = index::open_kind(path, file::Kind::delta, opening);
    paths.push_back(path);
    files.push_back(std::move(file));
  }
  std::vector<const file::Container*> all;
  all.reserve(files.size());
  for (const file::Container& file : files) all.push_back(&file);
  const exact::LinkedSet layers(all);

  const Path folder =
      target.place().parent_path().empty() ? Path(".") : target.place().parent_path();
  exact::Chain chain{.state = layers.state()};
  for (std::size_t i = 0; i < files.size(); ++i) {
    chain.links.push_back({name_below(folder, paths[i]), files[i].digest(), files[i].bytes()});
  }
  file::PendingFile pending(target);
  file::ContainerWriter writer(pending);
  writer.begin_section(file::kLinkSection).append(exact::encode_chain(chain));
  file::Header header;
  header.kind = file::Kind::chain;
  header.seed = layers.base().header().seed;
  header.key_hash = layers.base().header().key_hash;
  header.keys = layers.members();
  const auto written = writer.finish(header, {});
  DeltaSummary done{.output = output,
                    .base_bytes = layers.base().bytes(),
                    .delta_bytes = layers.delta_bytes(),
                    .deltas = layers.next_number() - 1,
                    .flips = layers.set().flips().flips(),
                    .members = layers.members(),
                    .state = file::to_hex(layers.state())};
  done.bytes = written.bytes + done.base_bytes + done.delta_bytes;
  file::add_warnings(done.warnings, lock ? pending.publish(*lock) : pending.publish());
  return done;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
