// SPDX-License-Identifier: Apache-2.0
#include "build/changed_layers.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

#include "build/notes.hpp"
#include "crivo/suffixes.hpp"
#include "file/directory.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/kinds.hpp"

namespace crivo::index {
namespace {

using Path = std::filesystem::path;

std::vector<std::uint64_t> counts_of(const std::vector<std::vector<std::string_view>>& names) {
  std::vector<std::uint64_t> counts;
  counts.reserve(names.size());
  for (const auto& some : names) counts.push_back(some.size());
  return counts;
}

}  // namespace

ChangedLayers::ChangedLayers(const LayeredKind& kind, const Path& before, const Path& chain,
                             const BuildOptions& options)
    : kind_(kind),
      output_(before, chain, options.replace, options.resources.progress),
      own_(file::Container::open(output_.before())),
      links_(exact::links_of(own_, kind.kind)),
      before_(exact::pointers(own_, links_)),
      files_(before_) {
  if (output_.replaces() && links_.empty())
    throw Error(ErrorKind::usage,
                before.string() + ": is no chain; name another output for the chain");
  for (const file::Container* const layer : before_) {
    require_kind(*layer, kind.kind);
    if (!output_.replaces()) output_.refuse_input(layer->path());
    names_.push_back(kind.names(*layer));
  }
  removed_ = LayeredNames(own_, links_, counts_of(names_)).removed();
}

ChangedLayers::~ChangedLayers() {
  std::error_code ignored;
  if (!is_published_ && !next_.empty()) std::filesystem::remove(next_, ignored);
}

std::uint64_t ChangedLayers::first_name(std::size_t layer) const {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < layer; ++i) first += names_[i].size();
  return first;
}

ChangedLayers::Live ChangedLayers::live() const {
  Live live;
  std::uint64_t name = 0;
  for (std::size_t layer = 0; layer < names_.size(); ++layer) {
    for (std::uint64_t i = 0; i < names_[layer].size(); ++i, ++name) {
      if (!removed_.has(name)) live.emplace(names_[layer][i], Place{layer, i});
    }
  }
  return live;
}

void ChangedLayers::remove(std::span<const std::string> names) {
  if (names.empty()) return;
  const Live live = this->live();
  for (const std::string& name : names) {
    const auto found = live.find(name);
    if (found == live.end())
      throw Error(ErrorKind::bad_input,
                  quote(name) + ": is no " + std::string(kind_.noun) + " of " + own_.name());
    removed_.add(first_name(found->second.layer) + found->second.number);
  }
}

const Path& ChangedLayers::next_layer() {
  std::uint64_t number = 0;
  for (const file::Container* const file : before_)
    number = std::max(number, number_of(file->path().filename().string()).value_or(0));
  std::error_code ignored;
  Path path;
  do {
    path = output_.place();
    path += "." + std::to_string(++number) + std::string(kind_.ending);
  } while (std::filesystem::exists(path, ignored));
  next_ = std::move(path);
  return next_;
}

void ChangedLayers::add() {
  added_.emplace(file::Container::open(next_));
  const file::Header& header = added_->header();
  if (header.seed != own_.header().seed || header.key_hash != own_.header().key_hash)
    throw Error(ErrorKind::bad_input,
                next_.string() +
                    ": two different keys have the same 128-bit hash under the seed "
                    "of " +
                    own_.name() + "; build a new index with another seed");
  const Live live = this->live();
  const auto names = kind_.names(*added_);
  for (const std::string_view name : names) {
    if (live.contains(name))
      throw Error(ErrorKind::bad_input,
                  quote(name) + ": is in " + own_.name() + " already; remove it in the same step");
  }
  removed_.append(names.size());
}

void ChangedLayers::compact() {
  added_.emplace(file::Container::open(next_));
  Live live = this->live();
  const auto names = kind_.names(*added_);
  for (const std::string_view name : names) {
    if (live.erase(name) == 0)
      throw Error(ErrorKind::bad_input,
                  quote(name) +
                      (was_removed(name) ? ": was removed from "
                                         : ": is no " + std::string(kind_.noun) + " of ") +
                      own_.name() +
                      ", and the input has rows of it; leave them out of the input, or add the " +
                      std::string(kind_.noun) + " to the index first");
  }
  if (!live.empty())
    throw Error(ErrorKind::bad_input,
                quote(live.begin()->first) + ": is a " + std::string(kind_.noun) + " of " +
                    own_.name() +
                    ", and the input has no row of it; give the rows of all its files, or remove "
                    "the " +
                    std::string(kind_.noun) + " from the index first");
  files_.clear();
  removed_ = RemovedNames(names.size());
}

bool ChangedLayers::was_removed(std::string_view name) const {
  std::uint64_t number = 0;
  for (const auto& names : names_) {
    for (const std::string_view each : names) {
      if (removed_.has(number) && each == name) return true;
      ++number;
    }
  }
  return false;
}

LayersChange ChangedLayers::publish(const LayersEdit& edit, const BuildOptions& options,
                                    std::vector<Warning> warnings) {
  drop_dead_layers();
  if (added_) files_.push_back(&*added_);
  if (files_.size() > kMostLayers)
    throw Error(ErrorKind::usage, own_.name() + ": would have more than " +
                                      std::to_string(kMostLayers) + " layers; compact it");
  LayersChange done{.output = output_.path(), .layers = files_.size()};
  done.warnings = std::move(warnings);
  std::optional<file::Digest> state;
  for (const file::Container* const file : files_) {
    state = state_with(state, file->digest());
    done.keys += file->header().keys;
  }
  if (added_) done.added = added_->header().keys;
  exact::NewChain chain{.state = *state,
                        .files = files_,
                        .keys = done.keys,
                        .removed = removed_.encode(),
                        .metadata = with_notes({}, options)};
  if (!edit.snapshot.empty()) chain.metadata.emplace("crivo.snapshot", edit.snapshot);
  done.removed_names = removed_.count();
  done.names = removed_.names() - done.removed_names;
  done.state = file::to_hex(*state);
  done.bytes = output_.publish(chain, done.warnings);
  is_published_ = true;
  sweep();
  return done;
}

/// The number in the name of a layer of this chain.
std::optional<std::uint64_t> ChangedLayers::number_of(std::string_view name) const {
  const std::string begin = output_.place().filename().string() + ".";
  if (!name.starts_with(begin) || !name.ends_with(kind_.ending)) return {};
  name.remove_prefix(begin.size());
  name.remove_suffix(std::min(kind_.ending.size(), name.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

/// Drops each layer none of whose names is there any more; a chain keeps its last one unless a
/// new one is added.
void ChangedLayers::drop_dead_layers() {
  std::vector<const file::Container*> kept;
  RemovedNames removed = removed_;
  std::uint64_t begin = 0;
  std::uint64_t gone = 0;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::uint64_t end = begin + names_[i].size();
    bool is_dead = true;
    for (std::uint64_t name = begin; name < end; ++name) is_dead &= removed_.has(name);
    const bool is_needed = !added_ && kept.empty() && i + 1 == files_.size();
    if (!is_dead || is_needed) {
      kept.push_back(files_[i]);
    } else {
      removed.forget(begin - gone, end - gone);
      gone += end - begin;
    }
    begin = end;
  }
  files_ = std::move(kept);
  removed_ = std::move(removed);
}

/// Removes layers that neither this chain has nor the one before: who opened that a moment ago
/// opens its files now. That one stays is no failure.
void ChangedLayers::sweep() noexcept try {
  std::set<std::string> named;
  for (const auto& files : {files_, before_}) {
    for (const file::Container* const file : files) named.insert(file->path().filename());
  }
  const Path folder = output_.folder();
  // A std::filesystem::directory_iterator ends the program where it finds no memory.
  for (const std::string& name : file::Directory(folder).names()) {
    if (number_of(name) && !named.contains(name) && std::filesystem::is_regular_file(folder / name))
      std::filesystem::remove(folder / name);
  }
} catch (...) {
}

BuildOptions options_of_layer(const ChangedLayers& changed, BuildOptions options) {
  options.seed = changed.header().seed;
  options.keyed_hash = changed.header().key_hash == hashing::KeyHashId::siphash;
  options.replace = false;
  const file::Metadata metadata = changed.layers().front()->metadata();
  if (const auto form = metadata.find(keys::kFormName); form != metadata.end())
    options.notes.insert(*form);
  return options;
}

}  // namespace crivo::index
