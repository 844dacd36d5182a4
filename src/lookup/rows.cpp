// SPDX-License-Identifier: Apache-2.0
#include "crivo/rows.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <system_error>
#include <vector>

#include "base/as_error.hpp"
#include "crivo/error.hpp"
#include "file/table_stamp.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/row_layers.hpp"

namespace crivo {

struct Rows::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : Impl(std::move(opened), exact::ChainOpener(options)) {
    index::check_if_asked(own, options);
  }
  Impl(file::Container opened, exact::ChainOpener&& opener)
      : own(std::move(opened)),
        links(exact::links_of(own, file::Kind::rows, opener)),
        layers(own, links) {
    if (!links.empty()) opener.note_seen();  // now that they belong together
  }

  const file::Header& header() const noexcept { return own.header(); }
  auto newest_first() const noexcept { return std::views::reverse(layers.layers()); }

  std::optional<Row> row(const tables::RowLayer& layer, std::uint64_t number) const noexcept {
    const std::optional<tables::RowPlace> place = layers.place(layer, number);
    if (!place) return {};
    return Row{layer.files.name(place->file), layer.first_file + place->file, place->group,
               place->row};
  }

  Answer answer(const tables::RowLayer& layer, Hash128 hash) const noexcept {
    Answer answer;
    const bool is_sound = layer.keys.visit(hash, [&](std::uint64_t number) {
      answer = answer_of(row(layer, number));
      return !answer;
    });
    return is_sound ? answer : Answer{.status = Status::damaged};
  }
  static Answer answer_of(const std::optional<Row>& row) noexcept {
    return row ? Answer{*row, Status::found} : Answer{};
  }

  template <typename Key>
  void lookup(std::span<const Key> keys, const HashFunction& function,
              std::span<Answer> answers) const {
    detail::check_batch(keys.size(), answers.size());
    std::ranges::fill(answers, Answer{});
    index::for_each_hashed_block(
        keys, function, [&](std::span<const Hash128> hashes, std::size_t begin) {
          std::array<std::uint64_t, index::kLookupBlock> numbers;
          std::array<bool, index::kLookupBlock> present;
          std::array<bool, index::kLookupBlock> damaged;
          for (const tables::RowLayer& layer : newest_first()) {
            const map::MapFile* const map = layer.keys.map();
            if (map == nullptr) {
              for (std::size_t i = 0; i < hashes.size(); ++i) {
                Answer& to = answers[begin + i];
                if (to.status == Status::absent) to = answer(layer, hashes[i]);
              }
              continue;
            }
            map->lookup(hashes, numbers.data(), present.data(), damaged.data());
            for (std::size_t i = 0; i < hashes.size(); ++i) {
              Answer& to = answers[begin + i];
              if (to.status != Status::absent) continue;
              if (present[i]) to = answer_of(row(layer, numbers[i]));
              if (damaged[i]) to = {.status = Status::damaged};
            }
          }
        });
  }

  file::Container own;
  std::vector<file::Container> links;  ///< of a chain
  tables::RowLayers layers;
};

Rows::Rows(std::unique_ptr<const Impl> impl)
    : hash_function_(index::hash_function(impl->header())), impl_(std::move(impl)) {}
Rows::~Rows() = default;
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;

Rows Rows::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Rows(
      std::make_unique<const Impl>(exact::open_layered(path, file::Kind::rows, options), options));
} catch (...) {
  base::rethrow_as_error();
}
Rows Rows::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Rows(
      std::make_unique<const Impl>(index::open_kind(bytes, file::Kind::rows, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Rows::info() const try { return index::describe(impl_->own, impl_->links); } catch (...) {
  base::rethrow_as_error();
}
void Rows::verify(const Resources& resources) const try {
  index::check_file(impl_->own, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Rows::size() const noexcept {
  return impl_->layers.keys();
}
unsigned Rows::signature_bits() const noexcept {
  const auto bits = std::views::transform(
      impl_->layers.layers(),
      [](const tables::RowLayer& layer) { return layer.keys.signature_bits(); });
  return std::ranges::min(bits);
}
std::size_t Rows::layers() const noexcept {
  return impl_->layers.layers().size();
}
std::uint64_t Rows::files() const noexcept {
  return impl_->layers.files();
}
std::string_view Rows::file(std::uint64_t number) const noexcept {
  return impl_->layers.name(number);
}
bool Rows::is_removed(std::uint64_t number) const noexcept {
  return impl_->layers.removed().has(number);
}
bool Rows::knows(std::uint64_t number) const noexcept {
  return impl_->layers.layer_of(number).stamps.has_value();
}
bool Rows::is_unchanged(std::uint64_t number, const std::filesystem::path& path) const try {
  const tables::RowLayer& layer = impl_->layers.layer_of(number);
  if (!layer.stamps) {
    throw Error(ErrorKind::usage,
                layer.container->name() +
                    ": does not know how its files were; build it with "
                    "check_files",
                {.remedy = "check_files"});
  }
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  return file::read_table_stamp(path) == layer.stamps->stamp(number - layer.first_file);
} catch (...) {
  base::rethrow_as_error();
}
std::uint64_t Rows::rows() const noexcept {
  return impl_->layers.rows();
}
bool Rows::has_lists() const noexcept {
  return impl_->layers.has_lists();
}
bool Rows::has_numbers() const noexcept {
  return impl_->layers.has_numbers();
}
std::uint64_t Rows::places() const noexcept {
  return impl_->layers.places();
}
bool Rows::has_groups() const noexcept {
  return std::ranges::all_of(impl_->layers.layers(), [](const tables::RowLayer& layer) {
    return layer.files.has_groups();
  });
}

Rows::Answer Rows::find(Hash128 hash) const noexcept {
  for (const tables::RowLayer& layer : impl_->newest_first()) {
    const Answer answer = impl_->answer(layer, hash);
    if (answer.status != Status::absent) return answer;
  }
  return {};
}

Rows::Status Rows::each(Hash128 hash, void* to, void (*visit)(void*, const Row&)) const {
  auto status = Status::absent;
  for (const tables::RowLayer& layer : impl_->newest_first()) {
    const bool is_sound = layer.keys.visit(hash, [&](std::uint64_t number) {
      if (const std::optional<Row> row = impl_->row(layer, number)) {
        status = std::max(status, Status::found);
        visit(to, *row);
      }
      return true;
    });
    if (!is_sound) status = Status::damaged;
  }
  return status;
}

void Rows::lookup(std::span<const std::string_view> keys, std::span<Answer> answers) const {
  impl_->lookup(keys, hash_function_, answers);
}
void Rows::lookup(std::span<const std::uint64_t> keys, std::span<Answer> answers) const {
  impl_->lookup(keys, hash_function_, answers);
}
void Rows::lookup(std::span<const KeyHash> hashes, std::span<Answer> answers) const {
  impl_->lookup(hashes, hash_function_, answers);
}

}  // namespace crivo
