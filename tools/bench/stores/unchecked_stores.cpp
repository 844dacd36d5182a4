// SPDX-License-Identifier: Apache-2.0
// Flat stores of Crivo, asked without the check of each record: what that check costs.
#include "base/bytes.hpp"
#include "bench/stores/store.hpp"
#include "crivo/build/build.hpp"
#include "file/section_types.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/store_files.hpp"
#include "records/backends/flat/slotted_units.hpp"

namespace crivo::bench {
namespace {

using records::SlottedUnits;

class OpenUnchecked final : public OpenStore {
 public:
  explicit OpenUnchecked(const std::filesystem::path& directory)
      : files_(index::StoreFiles::open(directory / "store", file::Loading::mapped)),
        hash_(index::hash_function(files_.index.header())),
        units_(records::Slots(files_.index.require(file::kSlotSection, "slots"),
                              files_.index.header().keys),
               files_.sealed->container()->require(file::kUnitSection, "units")),
        decoder_(codec().codec().decoder(codec().head().longest_raw)),
        level_(files_.ranks.by_hash->function->first_level()) {}

  std::string_view find(std::string_view key, bool& found) override {
    found = false;
    const std::uint64_t half = detail::HashAccess::first_half(hash_, key);
    const std::uint32_t seed = level_.buckets == 0 ? 0 : level_.seed(level_.seed_place(half));
    const std::uint64_t rank =
        seed != 0 ? level_.value(half, seed)
                  : files_.ranks.by_hash->lookup(detail::HashAccess::raw(hash_, key));
    if (rank >= units_.records() || !units_.may_hold(rank, half)) return {};
    base::ByteView unit = units_.unit_at(units_.entry(rank)).subspan(records::kUnitCheckSize);
    std::uint32_t head = 0;
    if (!base::take_varint(unit, head)) return {};
    if (head % 2 != 0 && !decoder_->decode(unit, unit)) return {};
    const std::string_view pair = base::as_text(unit);
    if (head / 2 > pair.size() || pair.substr(0, head / 2) != key) return {};
    found = true;
    return pair.substr(head / 2);
  }

 private:
  const records::StoredCodec& codec() const noexcept { return files_.sealed->codec(); }

  index::StoreFiles files_;
  HashFunction hash_;
  SlottedUnits units_;
  std::unique_ptr<records::Decoder> decoder_;
  detail::PhastLevel level_;
};

}  // namespace

void add_unchecked_stores(std::vector<StoreMethod>& methods) {
  for (const char* const codec : {"none", "tokens12", "tokens16"}) {
    methods.push_back(
        {std::string("Crivo flat ") + codec + ", no check",
         [codec](const RecordSet& set, const auto& directory) {
           build_crivo(set, directory, {.backend = "flat", .codec = codec});
         },
         [](const auto& directory) { return std::make_unique<OpenUnchecked>(directory); }});
  }
}

}  // namespace crivo::bench
