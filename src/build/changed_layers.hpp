// SPDX-License-Identifier: Apache-2.0
/// A chain of layers that is being changed (formats/delta.md), of any kind that has such.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/chain_output.hpp"
#include "crivo/build/edit.hpp"
#include "lookup/layered_names.hpp"

namespace crivo::index {

/// What changes need to know of a kind.
struct LayeredKind {
  file::Kind kind{};
  std::string_view noun;    ///< of a name, such as "file"
  std::string_view ending;  ///< of the names of layers
  /// The names of a layer, in order, valid as long as that is open. Throws Error(corrupt).
  std::vector<std::string_view> (*names)(const file::Container& layer) = nullptr;
};

/// A chain, and what it is to be. All who change it wait for each other.
class ChangedLayers {
 public:
  /// Throws Error(usage) for what is no file or chain of the kind, Error(corrupt, io).
  ChangedLayers(const LayeredKind& kind, const std::filesystem::path& before,
                const std::filesystem::path& chain, const BuildOptions& options);
  ~ChangedLayers();
  ChangedLayers(const ChangedLayers&) = delete;
  ChangedLayers& operator=(const ChangedLayers&) = delete;

  const file::Header& header() const noexcept { return own_.header(); }
  /// Those before the change.
  const std::vector<const file::Container*>& layers() const noexcept { return before_; }

  /// The names that are there, with the layer of each and its number there.
  struct Place {
    std::size_t layer = 0;
    std::uint64_t number = 0;
  };
  using Live = std::map<std::string_view, Place>;
  Live live() const;

  void remove(std::span<const std::string> names);
  /// The path beside the chain at which the next layer is to be; a file there goes with the object
  /// unless the chain was published.
  const std::filesystem::path& next_layer();
  /// Has the layers, and the next one behind them.
  void add();
  /// Has the next layer alone, in the place of all others. Throws Error(bad_input) unless it has
  /// the names that are there.
  void compact();
  /// Writes the chain, without layers of which no name is there, and removes those that neither it
  /// nor the one before has.
  /// `warnings` are those of the layer's build, and come first.
  LayersChange publish(const LayersEdit& edit, const BuildOptions& options,
                       std::vector<Warning> warnings = {});

 private:
  /// Whether a name was there, and is no more.
  bool was_removed(std::string_view name) const;
  std::optional<std::uint64_t> number_of(std::string_view name) const;
  void drop_dead_layers();
  void sweep() noexcept;
  std::uint64_t first_name(std::size_t layer) const;

  LayeredKind kind_;
  exact::ChainOutput output_;
  file::Container own_;
  std::vector<file::Container> links_;
  std::vector<const file::Container*> before_;
  std::vector<std::vector<std::string_view>> names_;  ///< of those
  RemovedNames removed_;
  std::vector<const file::Container*> files_;  ///< what stays of them, and what comes
  std::filesystem::path next_;                 ///< empty: there is no new layer
  std::optional<file::Container> added_;
  bool is_published_ = false;
};

/// The hash function and seed of the layers, and the form of their keys, for a build of another
/// one.
BuildOptions options_of_layer(const ChangedLayers& changed, BuildOptions options);

}  // namespace crivo::index
