// SPDX-License-Identifier: Apache-2.0
#include "lookup/hash_filter.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/filter.hpp"
#include "file/section_types.hpp"
#include "structures/bloom/cells.hpp"

namespace crivo {

struct HashFilter::Impl {
  explicit Impl(base::ByteView bytes) {
    base::FieldReader head(bytes, "filter of hashes");
    if (base::as_text(head.take(filter::kHashFilterMagic.size())) != filter::kHashFilterMagic)
      head.fail("it does not begin as one");
    const std::uint32_t number = head.u32();
    for (const std::string_view name : filter::kHashFilterTypes) {
      const filter::Type* const known = filter::hash_filter_type(name);
      if (known->section_type == number) type = known;
    }
    if (type == nullptr) head.fail("its type is not known");
    membership = type->open(head.take(head.remaining()));
  }

  bool takes_whole() const noexcept { return type->section_type == file::kBloomSection; }

  const filter::Type* type = nullptr;
  std::unique_ptr<const filter::Membership> membership;
};

HashFilter::HashFilter(std::unique_ptr<const Impl> impl)
    : lookup_(impl->membership->lookup()), whole_(impl->takes_whole()), impl_(std::move(impl)) {}
HashFilter::~HashFilter() = default;
HashFilter::HashFilter(HashFilter&&) noexcept = default;
HashFilter& HashFilter::operator=(HashFilter&&) noexcept = default;

HashFilter HashFilter::open(std::span<const std::byte> bytes) try {
  return HashFilter(std::make_unique<const Impl>(bytes));
} catch (...) {
  base::rethrow_as_error();
}

std::string_view HashFilter::type() const noexcept {
  return impl_->type->name;
}
std::uint64_t HashFilter::size() const noexcept {
  return impl_->membership->size();
}
double HashFilter::fpr() const noexcept {
  return impl_->membership->fpr();
}

bool HashFilter::contains_whole(std::uint64_t hash) const noexcept {
  return impl_->membership->contains(filter::with_second_half(hash));
}

void HashFilter::contains(std::span<const std::uint64_t> hashes, std::span<bool> answers) const {
  detail::check_batch(hashes.size(), answers.size());
  std::array<Hash128, 256> block;
  for (std::size_t i = 0; i < hashes.size(); i += block.size()) {
    const auto some = hashes.subspan(i, std::min(block.size(), hashes.size() - i));
    std::ranges::transform(some, block.begin(), filter::with_second_half);
    impl_->membership->contains(std::span(block).first(some.size()), answers.data() + i);
  }
}

std::span<const std::string_view> hash_filter_types() noexcept {
  return filter::kHashFilterTypes;
}

}  // namespace crivo
