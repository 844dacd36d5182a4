// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "file/section_types.hpp"
#include "lookup/bag_kind.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/opened.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo {

struct Bag::Impl {
  explicit Impl(file::Container opened)
      : container(std::move(opened)),
        membership(filter::open_ribbon(container.require(file::kBagSection, "bag"))),
        function(index::hash_function(container.header())) {}

  file::Container container;
  std::unique_ptr<const filter::Membership> membership;
  HashFunction function;
};

Bag::Bag(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Bag::~Bag() = default;
Bag::Bag(Bag&&) noexcept = default;

Bag Bag::open(const std::filesystem::path& path, const OpenOptions& options) {
  return Bag(std::make_unique<const Impl>(index::open_kind(path, file::Kind::bag, options)));
}
std::uint64_t Bag::size() const noexcept {
  return impl_->container.header().keys;
}
FileInfo Bag::info() const {
  return index::describe(impl_->container);
}
void Bag::verify(const Resources& resources) const {
  index::check_file(impl_->container, resources);
}
bool Bag::contains(std::string_view key) const {
  return impl_->membership->contains(detail::HashAccess::raw(impl_->function, key));
}

namespace index {
namespace {

class OpenedBag final : public Opened<Bag> {
 public:
  using Opened::Opened;

  void answer(const Key& key, const Visit& visit) override {
    const bool is_in = structure().contains(key.text());
    visit(key.text(), {.found = is_in, .text = is_in ? "in" : ""});
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for (const std::string_view key : keys) answer(Key(key), visit);
  }
  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) found += structure().contains(key) ? 1 : 0;
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    return count_one_by_one(keys);
  }
};

}  // namespace

void describe_bag(const file::Container& container, FileInfo& info) {
  info.algorithm = "bag";
  (void)filter::open_ribbon(container.require(file::kBagSection, "bag"));
}

std::unique_ptr<OpenIndex> open_bag(const std::filesystem::path& path, const OpenOptions& options) {
  return std::make_unique<OpenedBag>("bag", path, options);
}

}  // namespace index
}  // namespace crivo
