// SPDX-License-Identifier: Apache-2.0
/// Changes of indexes of rows: each writes a chain (formats/rows.md).
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/as_error.hpp"
#include "build/builds.hpp"
#include "build/chain_output.hpp"
#include "build/map_input.hpp"
#include "build/notes.hpp"
#include "crivo/build/edit.hpp"
#include "file/directory.hpp"
#include "file/output_lock.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/kinds.hpp"
#include "lookup/row_layers.hpp"

namespace crivo {
namespace {

using Path = std::filesystem::path;

constexpr std::string_view kLayerEnding = ".rows";

/// A chain that is being changed, and what it is to be. All who change it wait for each other.
class ChangedRows {
 public:
  ChangedRows(const Path& rows, const Path& chain, const BuildOptions& options)
      : replaces_(
            file::OutputTarget::file(rows, file::IfExists::replace).is_among({chain.string()})),
        target_(file::OutputTarget::file(chain, exact::if_exists(options.replace || replaces_))),
        own_(open(rows, options.resources.progress)),
        links_(exact::links_of(own_, file::Kind::rows)),
        before_(own_, links_),
        removed_(before_.removed()) {
    if (replaces_ && links_.empty())
      throw Error(ErrorKind::usage,
                  rows.string() + ": is no chain; name another output for the chain");
    for (const file::Container* const file : exact::pointers(own_, links_)) {
      if (!replaces_) target_.refuse_inputs({file->path().string()});
      files_.push_back(file);
    }
  }

  const file::Header& header() const noexcept { return own_.header(); }
  const tables::RowLayers& before() const noexcept { return before_; }

  /// The names of files that are there, and their numbers.
  std::map<std::string_view, std::uint64_t> live() const {
    std::map<std::string_view, std::uint64_t> names;
    for (std::uint64_t i = 0; i < before_.files(); ++i) {
      if (!removed_.has(i)) names.emplace(before_.name(i), i);
    }
    return names;
  }

  void remove(std::span<const std::string> names) {
    const auto live = this->live();
    for (const std::string& name : names) {
      const auto found = live.find(name);
      if (found == live.end())
        throw Error(ErrorKind::bad_input, quote(name) + ": is no file of " + own_.name());
      removed_.add(found->second);
    }
  }

  /// A name beside the chain that nothing has.
  Path next_layer() const {
    std::uint64_t number = 0;
    for (const file::Container* const file : files_)
      number = std::max(number, number_of(file->path().filename().string()).value_or(0));
    Path path;
    std::error_code ignored;
    do {
      path = target_.place();
      path += "." + std::to_string(++number) + std::string(kLayerEnding);
    } while (std::filesystem::exists(path, ignored));
    return path;
  }

  /// Has the layers, and the file at `path` behind them.
  void add(const Path& path) {
    added_.emplace(file::Container::open(path));
    const file::Header& header = added_->header();
    if (header.seed != own_.header().seed || header.key_hash != own_.header().key_hash)
      throw Error(ErrorKind::bad_input,
                  path.string() +
                      ": two different keys have the same 128-bit hash under the seed "
                      "of " +
                      own_.name() + "; build a new index with another seed");
    layer_.emplace(*added_, before_.files());
    const auto live = this->live();
    for (std::uint64_t i = 0; i < layer_->files.files(); ++i) {
      const std::string name(layer_->files.name(i));
      if (live.contains(name))
        throw Error(ErrorKind::bad_input, quote(name) + ": is in " + own_.name() +
                                              " already; remove it in the same step");
    }
    removed_.append(layer_->files.files());
  }

  /// Has the file at `path` alone, in the place of all layers. Throws Error(bad_input) unless it
  /// has the same files.
  void compact(const Path& path) {
    added_.emplace(file::Container::open(path));
    layer_.emplace(*added_, 0);
    auto live = this->live();
    for (std::uint64_t i = 0; i < layer_->files.files(); ++i) {
      const std::string name(layer_->files.name(i));
      if (live.erase(name) == 0)
        throw Error(ErrorKind::bad_input,
                    quote(name) + (was_removed(name) ? ": was removed from " : ": is no file of ") +
                        own_.name() +
                        ", and the input has rows of it; leave them out of the input, or add the "
                        "file to the index first");
    }
    if (!live.empty())
      throw Error(ErrorKind::bad_input,
                  quote(live.begin()->first) + ": is a file of " + own_.name() +
                      ", and the input has no row of it; give the rows of all its files, or remove "
                      "the file from the index first");
    files_.clear();
    removed_ = tables::RemovedFiles(layer_->files.files());
  }

  RowsChange publish(const RowsEdit& edit, const BuildOptions& options) {
    drop_dead_layers();
    if (added_) files_.push_back(&*added_);
    if (files_.size() > tables::kMostRowLayers)
      throw Error(ErrorKind::usage, own_.name() + ": would have more than " +
                                        std::to_string(tables::kMostRowLayers) +
                                        " layers; compact it");
    const Path folder =
        target_.place().parent_path().empty() ? Path(".") : target_.place().parent_path();
    RowsChange done{.output = target_.path(), .layers = files_.size()};
    exact::Chain chain;
    std::optional<file::Digest> state;
    for (const file::Container* const file : files_) {
      chain.links.push_back(
          {exact::link_name(folder, file->path()), file->digest(), file->bytes()});
      state = tables::state_with(state, file->digest());
      done.keys += file->header().keys;
      done.bytes += file->bytes();
    }
    chain.state = *state;
    if (layer_) done.added = added_->header().keys;
    file::PendingFile pending(target_);
    file::ContainerWriter writer(pending);
    writer.begin_section(file::kLinkSection).append(exact::encode_chain(chain));
    writer.begin_section(file::kRemovedFilesSection).append(removed_.encode());
    file::Header header;
    header.kind = file::Kind::chain;
    header.seed = own_.header().seed;
    header.key_hash = own_.header().key_hash;
    header.keys = done.keys;
    file::Metadata metadata = index::with_notes({}, options);
    if (!edit.snapshot.empty()) metadata.emplace("crivo.snapshot", edit.snapshot);
    done.bytes += writer.finish(header, metadata).bytes;
    done.removed_files = removed_.count();
    done.files = removed_.files() - done.removed_files;
    done.state = file::to_hex(*state);
    exact::warn_of_signature(target_.path(), done.warnings);
    file::add_warnings(done.warnings, lock_ ? pending.publish(*lock_) : pending.publish());
    is_published_ = true;
    sweep(chain);
    return done;
  }

  /// Takes a layer away that was built in vain.
  void discard(const Path& path) noexcept {
    std::error_code ignored;
    if (!is_published_) std::filesystem::remove(path, ignored);
  }

 private:
  /// Whether a file of the name was there, and is no more.
  bool was_removed(std::string_view name) const {
    for (std::uint64_t i = 0; i < before_.files(); ++i) {
      if (before_.removed().has(i) && before_.name(i) == name) return true;
    }
    return false;
  }
  /// Nobody else changes what is replaced from here on.
  file::Container open(const Path& rows, Progress* progress) {
    target_.set_progress(progress);
    if (replaces_) lock_.emplace(target_);
    return file::Container::open(replaces_ ? target_.place() : rows);
  }
  /// The number in the name of a layer of this chain.
  std::optional<std::uint64_t> number_of(std::string_view name) const {
    const std::string begin = target_.place().filename().string() + ".";
    if (!name.starts_with(begin) || !name.ends_with(kLayerEnding)) return {};
    name.remove_prefix(begin.size());
    name.remove_suffix(std::min(kLayerEnding.size(), name.size()));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) return {};
    return number;
  }

  /// Drops each layer none of whose files is there any more; a chain keeps its last one unless a
  /// new one is added.
  void drop_dead_layers() {
    std::vector<const file::Container*> kept;
    tables::RemovedFiles removed = removed_;
    std::uint64_t gone = 0;
    const auto layers = before_.layers();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::uint64_t begin = layers[i].first_file;
      const std::uint64_t end = begin + layers[i].files.files();
      bool is_dead = true;
      for (std::uint64_t file = begin; file < end; ++file) is_dead &= removed_.has(file);
      const bool is_needed = !added_ && kept.empty() && i + 1 == files_.size();
      if (!is_dead || is_needed) {
        kept.push_back(files_[i]);
        continue;
      }
      removed.forget(begin - gone, end - gone);
      gone += end - begin;
    }
    files_ = std::move(kept);
    removed_ = std::move(removed);
  }

  /// Removes layers that neither this chain has nor the one before: who opened that a moment ago
  /// opens its files now. That one stays is no failure.
  void sweep(const exact::Chain& chain) noexcept try {
    std::set<std::string> named;
    for (const exact::Chain::Link& link : chain.links) named.insert(Path(link.name).filename());
    for (const file::Container* const file : exact::pointers(own_, links_))
      named.insert(file->path().filename());
    const Path folder = target_.place().parent_path();
    // A std::filesystem::directory_iterator ends the program where it finds no memory.
    for (const std::string& name : file::Directory(folder.empty() ? "." : folder).names()) {
      if (number_of(name) && !named.contains(name) &&
          std::filesystem::is_regular_file(folder / name))
        std::filesystem::remove(folder / name);
    }
  } catch (...) {
  }

  bool replaces_;
  file::OutputTarget target_;
  std::optional<file::OutputLock> lock_;
  file::Container own_;
  std::vector<file::Container> links_;
  tables::RowLayers before_;
  std::vector<const file::Container*> files_;  ///< what stays of them
  tables::RemovedFiles removed_;
  std::optional<file::Container> added_;
  std::optional<tables::RowLayer> layer_;  ///< of that
  bool is_published_ = false;
};

/// Builds a layer, has `use` take it, and writes the chain.
template <typename Use>
RowsChange with_layer(ChangedRows& changed, const KeyInput& pairs, RowsOptions layer,
                      const RowsEdit& edit, BuildOptions options, Use&& use) {
  const tables::RowLayer& last = changed.before().layers().back();
  layer.signature_bits = last.keys.signature_bits();
  layer.many = last.keys.lists() != nullptr;
  index::take_key_choices(last.container->metadata(), layer);
  layer.check_files |= last.stamps.has_value();
  options.seed = changed.header().seed;
  options.keyed_hash = changed.header().key_hash == hashing::KeyHashId::siphash;
  options.replace = false;
  const Path path = changed.next_layer();
  try {
    BuildSummary built = index::build_rows(pairs, path, layer, options,
                                           hashing::hash_family(changed.header().key_hash));
    use(path);
    RowsChange done = changed.publish(edit, options);
    done.warnings.insert(done.warnings.begin(), built.warnings.begin(), built.warnings.end());
    return done;
  } catch (...) {
    changed.discard(path);
    throw;
  }
}

}  // namespace

RowsChange add_rows(const Path& rows, const KeyInput& pairs, const Path& chain,
                    const RowsOptions& layer, const RowsEdit& edit,
                    const BuildOptions& options) try {
  ChangedRows changed(rows, chain, options);
  changed.remove(edit.removed);
  return with_layer(changed, pairs, layer, edit, options,
                    [&](const Path& path) { changed.add(path); });
} catch (...) {
  base::rethrow_as_error();
}

RowsChange remove_rows(const Path& rows, const Path& chain, const RowsEdit& edit,
                       const BuildOptions& options) try {
  ChangedRows changed(rows, chain, options);
  changed.remove(edit.removed);
  return changed.publish(edit, options);
} catch (...) {
  base::rethrow_as_error();
}

RowsChange compact_rows(const Path& chain, const KeyInput& pairs, const RowsOptions& layer,
                        const RowsEdit& edit, const BuildOptions& options) try {
  ChangedRows changed(chain, chain, options);
  changed.remove(edit.removed);
  return with_layer(changed, pairs, layer, edit, options,
                    [&](const Path& path) { changed.compact(path); });
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
