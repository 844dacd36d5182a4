// SPDX-License-Identifier: Apache-2.0
#include "shards/exact_parts.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/notes.hpp"
#include "build/run.hpp"
#include "build/universe_input.hpp"
#include "file/section_types.hpp"
#include "lookup/exact_file.hpp"

namespace crivo::index {
namespace {

constexpr std::uint64_t kListedBytes = 24;

/// The keys of a universe that all shards left.
class LeftUniverse final : public exact::UniverseKeys {
 public:
  LeftUniverse(const Parts& parts, bool grouped, const exact::UniverseCounts& counts)
      : parts_(parts), grouped_(grouped), counts_(counts) {}

  void for_each(const base::BuildContext& context, const Visit& visit) const override {
    context.progress.begin("universe", 0);
    for (const auto& part : parts_) visit_part(*part, visit);
  }
  exact::UniverseCounts count(const exact::MemberSample& /*sample*/,
                              const base::BuildContext& /*context*/) const override {
    return counts_;
  }
  bool visits_all() const noexcept override { return false; }

 private:
  void visit_part(const PartFile& part, const Visit& visit) const {
    constexpr std::size_t kHandedOn = 4096;
    std::vector<Hash128> hashes;
    std::vector<std::uint64_t> groups;
    const auto visit_some = [&] {
      visit(0, hashes, groups);
      hashes.clear();
      groups.clear();
    };
    for_each_listed(part, kUniverseList, [&](const Hash128& hash, std::uint64_t group) {
      hashes.push_back(hash);
      if (grouped_) groups.push_back(group);
      if (hashes.size() == kHandedOn) visit_some();
    });
    if (!hashes.empty()) visit_some();
  }

  const Parts& parts_;
  bool grouped_;
  const exact::UniverseCounts& counts_;
};

KeyInput named_after(const Parts& parts) {
  return {{parts.front()->name()}, {}};
}

}  // namespace

unsigned list_bits(std::uint64_t shards) noexcept {
  constexpr unsigned kMost = 20;
  return std::min(kMost, static_cast<unsigned>(std::bit_width(shards)) + 3);
}

HashRange range_of_shard(unsigned bits, const Share& shard) noexcept {
  const stream::PartitionRun run = run_of_shard(bits, shard.index, shard.count);
  return run.size() == 0 ? HashRange{1, 0} : HashRange::of(bits, run);
}

ListedPart::ListedPart(file::PendingFile& file, file::Kind kind, const Share& shard, unsigned bits,
                       file::Metadata choices)
    : writer_(file), head_{.kind = kind, .shard = shard, .choices = std::move(choices)} {
  for (std::size_t list = 0; list < 2; ++list) {
    SectionShare& share = head_.sections.emplace_back(file::kKeyPiecesSection, bits);
    share.run = run_of_shard(bits, shard.index, shard.count);
  }
}

void ListedPart::add_list(const std::function<void(const UseListed& add)>& fill) {
  constexpr std::size_t kWritten = std::size_t{1} << 16;
  base::Sink& sink = writer_.begin_section(file::kPartBodiesSection, next_, kPageBytes);
  std::uint64_t bytes = 0;
  base::FieldWriter some;
  const auto write = [&] {
    bytes += some.view().size();
    sink.append(some.take());
    some = {};
  };
  fill([&](const Hash128& hash, std::uint64_t number) {
    some.u64(hash.hi).u64(hash.lo).u64(number);
    if (some.view().size() >= kWritten) write();
  });
  write();
  SectionShare& share = head_.sections[next_];
  if (share.run.size() != 0) share.pieces.push_back({share.run.size(), bytes, 0, 0});
  writer_.begin_section(file::kPartNotesSection, next_);
  writer_.begin_section(file::kPartSignaturesSection, next_, kPageBytes);
  ++next_;
}

file::ContainerWriter::Written ListedPart::finish(file::Header header) {
  writer_.begin_section(file::kPartSection).append(encode(head_));
  header.kind = file::Kind::part;
  return writer_.finish(header, head_.choices);
}

bool is_listed(const PartFile& part) noexcept {
  const file::Kind kind = part.head().kind;
  return kind == file::Kind::exact || kind == file::Kind::delta || kind == file::Kind::dictionary ||
         kind == file::Kind::filter_set;
}

void for_each_listed(const PartFile& part, std::size_t list, const UseListed& use) {
  part.for_each_piece(list, [&](const PartFile::Piece& piece) {
    const base::ByteView body = piece.part.body;
    if (body.size() % kListedBytes != 0) part.container().fail("damaged: a list is cut short");
    for (std::uint64_t at = 0; at < body.size(); at += kListedBytes) {
      const std::byte* const key = body.data() + at;
      use({base::load_le<std::uint64_t>(key), base::load_le<std::uint64_t>(key + 8)},
          base::load_le<std::uint64_t>(key + 16));
    }
  });
}

void check_lists(const Parts& parts) {
  const PartFile& first = *parts.front();
  const file::Kind kind = first.head().kind;
  const std::size_t lists = kind == file::Kind::filter_set   ? 0
                            : kind == file::Kind::dictionary ? 1
                                                             : 2;
  for (const auto& part : parts) {
    const PartHead& head = part->head();
    const file::Header& header = part->container().header();
    if (head.kind != first.head().kind || head.choices != first.head().choices ||
        head.sections.size() != lists || header.keys != first.container().header().keys ||
        header.seed != first.container().header().seed ||
        header.key_hash != first.container().header().key_hash)
      part->container().fail("damaged: its plan differs from that of the other parts");
  }
}

BuildSummary merge_exact(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                         BuiltFile& file) {
  check_lists(parts);
  const PartFile& first = *parts.front();
  const file::Header& header = first.container().header();
  const auto exact =
      exact::checked(options_of<ExactOptions>(recorded_choices(first.head().choices)));
  const UniverseTotals counts = decode_universe_totals(first.container());
  const base::BuildContext context = frame.context();
  const exact::Room room{frame.memory().budget().stream_bytes() / 2, frame.temp_dir()};
  GatheredKeys gathered(header.keys, room, context);
  for (const auto& part : parts) {
    for_each_listed(*part, kMembersList, [&](const Hash128& hash, std::uint64_t group) {
      gathered.writer(0).add({hash, group});
    });
  }
  gathered.finish();
  const auto members = gathered.with_repeats();
  if (members->size() != header.keys)
    first.container().fail("damaged: its parts have other members");

  const LeftUniverse universe(parts, exact.grouped, counts.counts);
  const auto builder =
      std::make_shared<exact::Builder>(*members, universe,
                                       exact::Parameters{.grouped = exact.grouped,
                                                         .outside_rate = exact.fpr,
                                                         .memory_bytes = room.memory_bytes,
                                                         .temp_dir = room.temp_dir},
                                       context);
  Recipe recipe = plan(exact, header.keys, builder);
  recipe.header.seed = header.seed;
  recipe.header.key_hash = header.key_hash;
  BuiltParts source(recipe, *members, context);
  run(recipe, source.sources(), file, context);
  stream::KeySums sums = members->sums();
  sums.values += counts.counts.sum;
  frame.summary().add(builder->built().temp_bytes + gathered.temp_bytes(),
                      warn_of_missing(named_after(parts), builder->built().missing, counts.strict));
  frame.end_building();
  recipe.header.build_id = build_id(recipe.header, sums, recipe.metadata);
  if (recipe.header.build_id != header.build_id)
    first.container().fail("damaged: its parts have other members");
  file.finish(recipe.header, with_notes(recipe.metadata, options));
  return file.publish(frame, recipe.header, recipe.algorithm);
}

BuildSummary merge_delta(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                         BuiltFile& file) {
  check_lists(parts);
  const PartFile& first = *parts.front();
  exact::Delta delta = file::naming(first.name(), [&] {
    return exact::decode_delta(first.container().require(file::kFlipSection, "flips"));
  });
  const exact::FlipList& known = delta.lists.front();
  exact::FoundFlips found{.added = base::Bytes(known.added.begin(), known.added.end()),
                          .members = known.members,
                          .universe = known.universe};
  found.counts.resize(delta.groups_after());
  const exact::UniverseCounts counts = decode_universe_totals(first.container()).counts;
  for (const exact::GroupTable::Entry& group : counts.groups.entries()) {
    if (group.hash >= found.counts.size())
      first.container().fail("damaged: a group without a number");
    found.counts[group.hash] = group.universe;
  }
  for (const auto& part : parts) {
    const auto take = [&](std::size_t list, std::vector<exact::GroupedKey>& to) {
      for_each_listed(*part, list, [&](const Hash128& hash, std::uint64_t group) {
        if (group >= found.counts.size())
          part->container().fail("damaged: a group without a number");
        to.push_back({group, hash});
      });
    };
    take(kFlipsList, found.flips);
    take(kOthersList, found.others);
  }
  std::ranges::sort(found.flips);
  std::ranges::sort(found.others);
  const exact::MadeFlips made = exact::make_flips(found, frame.memory().threads());
  frame.end_building();
  delta.lists = {made.list};
  file::Header header = first.container().header();
  header.kind = file::Kind::delta;
  header.keys = made.list.flips;
  header.build_id = {};
  file.begin_index(file::HashTree::sha256)
      .begin_section(file::kFlipSection)
      .append(exact::encode_delta(delta));
  file.finish(header, with_notes(first.head().choices, options));
  return file.publish(frame, header, "flips");
}

}  // namespace crivo::index
