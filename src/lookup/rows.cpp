// SPDX-License-Identifier: Apache-2.0
#include "crivo/rows.hpp"

#include <array>

#include "base/as_error.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/map_file.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/row_list.hpp"

namespace crivo {

struct Rows::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : container(std::move(opened)), map(container), files(tables::open_file_list(container)) {
    index::check_if_asked(container, options);
  }

  /// Of a row of all files. A number that is none is the answer for a key outside the set.
  Answer answer(std::uint64_t number) const noexcept {
    if (number >= files.rows()) return {};
    const tables::RowPlace place = files.place(number);
    return {{files.name(place.file), place.file, place.group, place.row}, Status::found};
  }

  template <typename Key>
  void lookup(std::span<const Key> keys, const HashFunction& function,
              std::span<Answer> answers) const {
    detail::check_batch(keys.size(), answers.size());
    index::for_each_hashed_block(
        keys, function, [&](std::span<const Hash128> hashes, std::size_t begin) {
          std::array<std::uint64_t, index::kLookupBlock> numbers;
          std::array<bool, index::kLookupBlock> present;
          std::array<bool, index::kLookupBlock> damaged;
          map.lookup(hashes, numbers.data(), present.data(), damaged.data());
          for (std::size_t i = 0; i < hashes.size(); ++i) {
            Answer& to = answers[begin + i];
            to = present[i] ? answer(numbers[i]) : Answer{};
            if (damaged[i]) to = {.status = Status::damaged};
          }
        });
  }

  file::Container container;
  map::MapFile map;
  tables::FileList files;
};

Rows::Rows(std::unique_ptr<const Impl> impl)
    : hash_function_(index::hash_function(impl->container.header())), impl_(std::move(impl)) {}
Rows::~Rows() = default;
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;

Rows Rows::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Rows(
      std::make_unique<const Impl>(index::open_kind(path, file::Kind::rows, options), options));
} catch (...) {
  base::rethrow_as_error();
}
Rows Rows::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Rows(
      std::make_unique<const Impl>(index::open_kind(bytes, file::Kind::rows, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Rows::info() const try { return index::describe(impl_->container); } catch (...) {
  base::rethrow_as_error();
}
void Rows::verify(const Resources& resources) const try {
  index::check_file(impl_->container, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Rows::size() const noexcept {
  return impl_->container.header().keys;
}
unsigned Rows::signature_bits() const noexcept {
  return impl_->map.signature_bits();
}
std::uint64_t Rows::files() const noexcept {
  return impl_->files.files();
}
std::string_view Rows::file(std::uint64_t number) const noexcept {
  return impl_->files.name(number);
}
std::uint64_t Rows::rows() const noexcept {
  return impl_->files.rows();
}
bool Rows::has_groups() const noexcept {
  return impl_->files.has_groups();
}

Rows::Answer Rows::find(Hash128 hash) const noexcept {
  const std::optional<std::uint64_t> number = impl_->map.lookup(hash);
  if (impl_->map.is_damaged(hash)) return {.status = Status::damaged};
  return number ? impl_->answer(*number) : Answer{};
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
