// SPDX-License-Identifier: Apache-2.0
/// Joins deltas, and puts them behind their base.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/chain_output.hpp"
#include "crivo/build/edit.hpp"
#include "file/manifest.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo {
namespace {

using exact::if_exists;
using Path = std::filesystem::path;

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
  if (one.seed != other.seed || one.key_hash != other.key_hash ||
      before.of_filter != next.of_filter || before.grouped != next.grouped ||
      before.groups_after() != next.groups)
    next_file.fail("damaged: it does not fit the delta before it");
}

/// Refuses what is damaged, so that it is not handed on.
void check_lists(const file::Container& container, const exact::Delta& delta) {
  if (delta.of_filter) (void)filter::AddedLayers(container, delta);
  (void)file::naming(container.name(), [&] {
    std::uint64_t groups = delta.groups;
    for (const exact::FlipList& list : delta.lists) {
      exact::FlipReader(list, groups).for_each([](std::size_t, const exact::Flip&) {});
      groups += list.added_groups();
    }
    return 0;
  });
}

/// One delta in the place of some that follow each other.
class JoinedDeltas {
 public:
  /// The next. Throws Error(corrupt) where it does not follow the last.
  void add(const Path& path) {
    file::Container file = index::open_kind(path, file::Kind::delta);
    exact::Delta delta = exact::open_delta(file);
    check_lists(file, delta);
    if (files_.empty()) {
      joined_ = {.base = delta.base,
                 .before = delta.before,
                 .number = delta.number,
                 .of_filter = delta.of_filter,
                 .grouped = delta.grouped,
                 .groups = delta.groups};
    } else {
      check_follows(files_.back(), last_, file, delta);
    }
    joined_.lists.insert(joined_.lists.end(), delta.lists.begin(), delta.lists.end());
    if (delta.joined.empty()) {
      joined_.joined.push_back(file.digest());
    } else {
      joined_.joined.insert(joined_.joined.end(), delta.joined.begin(), delta.joined.end());
    }
    add_covers(file);
    keys_ += file.header().keys;
    last_ = std::move(delta);
    files_.push_back(std::move(file));
  }

  const exact::Delta& delta() const noexcept { return joined_; }
  file::Header header() const {
    file::Header header = files_.front().header();
    header.keys = keys_;
    return header;
  }
  /// Writes the lists, and the layers of a filter as they are.
  void write(file::ContainerWriter& writer) const {
    writer.begin_section(file::kFlipSection).append(exact::encode_delta(joined_));
    if (!joined_.of_filter) return;
    std::uint64_t tag = 0;
    for (const file::Container& file : files_) {
      for (std::uint64_t own = 0;; ++own) {
        const auto layer = file.find(file::kRibbonSection, own);
        if (!layer) break;
        writer.begin_section(file::kRibbonSection, tag++).append(*layer);
      }
    }
  }
  file::Metadata metadata() const {
    return covers_.empty() ? file::Metadata{} : file::Metadata{{"crivo.covers", covers_}};
  }

 private:
  void add_covers(const file::Container& file) {
    for (const Coverage& one : exact::covers_of(file)) {
      if (std::ranges::find(covered_, one) != covered_.end()) continue;
      covered_.push_back(one);
      covers_ += (covers_.empty() ? "" : ",") + one.name + "=" + std::to_string(one.low) + ":" +
                 std::to_string(one.high);
    }
  }

  std::vector<file::Container> files_;  ///< the lists are views into them
  exact::Delta last_;
  exact::Delta joined_;
  std::vector<Coverage> covered_;
  std::string covers_;      ///< as metadata has them
  std::uint64_t keys_ = 0;  ///< of all headers: flips, or keys of layers
};

/// The files of a chain, or the base alone. How new they are does not matter: that of what follows
/// does.
std::vector<file::Container> files_before(const Path& set, const OpenOptions& opening) {
  file::Container own = file::Container::open(set);
  const file::Kind kind = exact::base_kind(own);
  exact::ChainOpener opener(opening, exact::ChainOpener::Age::of_another);
  std::vector<file::Container> files = exact::links_of(own, kind, opener);
  if (!files.empty()) return files;
  if (opening.trust) {
    const trust::SignatureCheck check(set, {}, *opening.trust);
    files.push_back(index::open_kind(set, kind, file::Loading::mapped, check));
  } else {
    files.push_back(std::move(own));
  }
  return files;
}

/// The files of a chain that is made of what there is and of deltas, which must be signed where
/// there is a trust.
struct GivenFiles {
  std::vector<file::Container> files;
  std::size_t old = 0;                            ///< the first of them were there
  std::optional<trust::SignatureCheck> newest{};  ///< of the last
};

GivenFiles open_given(const Path& set, std::span<const Path> deltas, const Path& chain,
                      const OpenOptions& opening) {
  GivenFiles given{files_before(set, opening)};
  given.old = given.files.size();
  for (const Path& path : deltas) {
    if (!opening.trust) {
      given.files.push_back(index::open_kind(path, file::Kind::delta));
      continue;
    }
    std::vector<std::string> names;
    if (&path == &deltas.back()) names = exact::chain_names(chain, given.files.front().path());
    given.newest.emplace(path, std::move(names), *opening.trust);
    given.files.push_back(
        index::open_kind(path, file::Kind::delta, file::Loading::mapped, *given.newest));
  }
  return given;
}

/// The state that a base and its deltas come to, and what is said of it.
struct Applied {
  std::unique_ptr<exact::ChainState> state;
  DeltaSummary summary;
};

Applied summary_of(std::unique_ptr<exact::ChainState> state, DeltaSummary summary) {
  summary.base_bytes = state->base().bytes();
  summary.is_long = state->is_long();
  summary.delta_bytes = state->delta_bytes();
  summary.deltas = state->next_number() - 1;
  summary.members = state->members();
  summary.state = file::to_hex(state->state());
  return {std::move(state), std::move(summary)};
}

/// Refuses what does not follow or is damaged. The first `old` files were a chain, or the base.
Applied link(const std::vector<file::Container>& files, std::size_t old) {
  const auto all = exact::pointers(files.front(), files);
  if (files.front().header().kind != file::Kind::filter) {
    auto layers = std::make_unique<exact::LinkedSet>(all);
    DeltaSummary summary;
    summary.flips = layers->set().flips().flips();
    summary.rebase = layers->is_long();
    return summary_of(std::move(layers), std::move(summary));
  }
  if (files.front().parts() != nullptr)
    throw Error(ErrorKind::usage,
                files.front().name() + ": a manifest cannot be a base; merge its parts first");
  for (std::size_t i = old; i < files.size(); ++i) (void)exact::open_delta(files[i]);
  auto layers = std::make_unique<filter::LinkedFilter>(all);
  DeltaSummary summary;
  summary.fpr = layers->membership().fpr();
  summary.rebase = layers->is_outgrown();
  return summary_of(std::move(layers), std::move(summary));
}

void refuse_inputs(const file::OutputTarget& target, std::span<const Path> paths) {
  std::vector<std::string> names;
  for (const Path& path : paths) names.push_back(path.string());
  target.refuse_inputs(names);
}

}  // namespace

DeltaSummary squash_deltas(std::span<const Path> deltas, const Path& output, bool replace) try {
  if (deltas.empty()) throw Error(ErrorKind::usage, "at least one delta is needed");
  const auto target = file::OutputTarget::file(output, if_exists(replace));
  refuse_inputs(target, deltas);
  JoinedDeltas joined;
  for (const Path& path : deltas) joined.add(path);
  const exact::Delta& delta = joined.delta();
  if (delta.lists.size() < 2) throw Error(ErrorKind::usage, "at least two deltas are needed");
  if (delta.of_filter && delta.lists.size() > file::kMostAddedLayers)
    throw Error(ErrorKind::usage, "a file has at most 1000 layers; build a new base");
  file::PendingFile pending(target);
  file::ContainerWriter writer(pending);
  joined.write(writer);
  const file::Header header = joined.header();
  const auto written = writer.finish(header, joined.metadata());
  DeltaSummary done{.output = output,
                    .bytes = written.bytes,
                    .deltas = delta.lists.size(),
                    .flips = delta.flips(),
                    .members = delta.lists.back().members,
                    .state = file::to_hex(delta.after(written.digest))};
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
  exact::ChainOutput chain(set, output, options.replace, nullptr);
  for (const Path& path : deltas) chain.refuse_input(path);
  const GivenFiles given = open_given(chain.before(), deltas, output, opening);
  const std::vector<file::Container>& files = given.files;
  if (chain.replaces() && given.old == 1)
    throw Error(ErrorKind::usage,
                set.string() + ": is the base; name another output for the chain");
  for (std::size_t i = 0; i < given.old; ++i) chain.refuse_input(files[i].path());
  const Applied applied = link(files, given.old);
  if (given.newest) given.newest->note_seen();

  DeltaSummary done = applied.summary;
  done.output = output;
  done.bytes = chain.publish({.state = applied.state->state(),
                              .files = exact::pointers(files.front(), files),
                              .keys = applied.state->members()},
                             done.warnings);
  return done;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
