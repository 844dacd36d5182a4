// SPDX-License-Identifier: Apache-2.0
#include "shards/part_file.hpp"

#include <atomic>

#include "crivo/error.hpp"
#include "file/section_types.hpp"

namespace crivo::index {
namespace {

constexpr std::uint64_t kMaxSections = 8;
constexpr std::uint64_t kMaxShards = std::uint64_t{1} << 20;
constexpr unsigned kMaxPartitionBits = 40;
/// So much of a part is kept mapped in.
constexpr std::uint64_t kForget = std::uint64_t{8} << 20;

/// Takes pieces of sections that lie side by side, and refuses more than there is.
class PiecesLeft {
 public:
  PiecesLeft(const base::FieldReader& r, std::uint64_t partitions, std::uint64_t body_bytes,
             std::uint64_t note_bytes, std::uint64_t signature_bytes)
      : r_(r), left_{partitions, body_bytes, note_bytes, signature_bytes} {}

  void take(const SectionShare::Piece& piece) {
    if (piece.partitions > left_.partitions)
      r_.fail("damaged: its pieces have other partitions than its shard");
    left_.partitions -= piece.partitions;
    take(left_.body_bytes, piece.body_bytes);
    take(left_.note_bytes, piece.note_bytes);
    take(left_.signature_bytes, piece.signature_bytes);
  }
  void expect_none() const {
    if (left_.partitions != 0 || left_.body_bytes != 0 || left_.note_bytes != 0 ||
        left_.signature_bytes != 0)
      r_.fail("damaged: its pieces are not all of its shard");
  }

 private:
  void take(std::uint64_t& left, std::uint64_t size) const {
    if (size > left) r_.fail("damaged: its pieces have more bytes than there are");
    left -= size;
  }

  const base::FieldReader& r_;
  SectionShare::Piece left_;
};

/// The share of section `index`, which is of the head's shard.
SectionShare decode_share(const file::Container& container, const PartHead& head,
                          std::uint64_t index, base::FieldReader& r) {
  SectionShare section;
  section.type = r.u32();
  section.partition_bits = r.u32();
  section.run.begin = r.u64();
  section.run.end = r.u64();
  section.lead = r.u64();
  const std::uint64_t pieces = r.u64();
  if (section.partition_bits > kMaxPartitionBits || pieces > r.remaining() / 32)
    r.fail("damaged: it has more pieces than bytes");
  const bool is_unbuilt = are_unbuilt(head.kind, section.partition_bits, head.shard.count);
  const stream::PartitionRun run =
      is_unbuilt ? stream::PartitionRun()
                 : run_of_shard(section.partition_bits, head.shard.index, head.shard.count);
  if (section.run != run) r.fail("damaged: its partitions are not those of its shard");
  const auto bodies = container.find(file::kPartBodiesSection, index);
  const auto notes = container.find(file::kPartNotesSection, index);
  const auto signatures = container.find(file::kPartSignaturesSection, index);
  if (!bodies || !notes || !signatures) r.fail("damaged: its pieces are missing");
  if (section.lead >= kPageBytes || section.lead > bodies->size())
    r.fail("damaged: the start of its bodies is missing");
  PiecesLeft left(r, section.run.size(), bodies->size() - section.lead, notes->size(),
                  signatures->size());
  section.pieces.reserve(pieces);
  for (std::uint64_t p = 0; p < pieces; ++p) {
    const SectionShare::Piece piece{r.u64(), r.u64(), r.u64(), r.u64()};
    const bool is_of_records = head.kind == file::Kind::store && index != 0;
    if (piece.partitions == 0 && !is_of_records && !is_unbuilt)
      r.fail("damaged: its pieces have other partitions than its shard");
    const std::uint64_t key_bytes = has_values(head.kind) ? 24 : 16;
    if (is_unbuilt &&
        (piece.body_bytes != 0 || piece.signature_bytes != 0 || piece.note_bytes % key_bytes != 0))
      r.fail("damaged: its keys are built");
    left.take(piece);
    section.pieces.push_back(piece);
  }
  left.expect_none();
  return section;
}

PartHead decode_head(const file::Container& container) {
  base::FieldReader r(container.require(file::kPartSection, "part"), container.name());
  PartHead head;
  head.kind = file::Kind{r.u32()};
  head.value_width = r.u32();
  head.shard.index = r.u64();
  head.shard.count = r.u64();
  const std::uint64_t choice_bytes = r.u64();
  const std::uint64_t sections = r.u64();
  if (head.shard.index >= head.shard.count || head.shard.count > kMaxShards)
    r.fail("damaged: it belongs to no shard");
  const bool has_no_numbers = head.kind == file::Kind::rows && head.value_width == 0;
  const bool has_sections = head.kind != file::Kind::filter_set;  // in which pieces are
  if (head.value_width > 64 || has_no_numbers || (sections != 0) != has_sections ||
      sections > kMaxSections)
    r.fail("damaged: no build makes such a file");
  head.choices =
      file::naming(container.name(), [&] { return file::decode_metadata(r.take(choice_bytes)); });
  r.align(8);
  for (std::uint64_t i = 0; i < sections; ++i)
    head.sections.push_back(decode_share(container, head, i, r));
  if (head.kind == file::Kind::store) head.ranks = r.u64();
  if (head.kind == file::Kind::rows) head.places = r.u64();
  r.expect_end();
  return head;
}

}  // namespace

base::Bytes encode(const PartHead& head) {
  const base::Bytes choices = file::encode(head.choices);
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(head.kind)).u32(head.value_width);
  w.u64(head.shard.index).u64(head.shard.count).u64(choices.size()).u64(head.sections.size());
  w.bytes(choices).align(8);
  for (const SectionShare& section : head.sections) {
    w.u32(section.type).u32(section.partition_bits);
    w.u64(section.run.begin).u64(section.run.end).u64(section.lead).u64(section.pieces.size());
    for (const SectionShare::Piece& piece : section.pieces) {
      w.u64(piece.partitions)
          .u64(piece.body_bytes)
          .u64(piece.note_bytes)
          .u64(piece.signature_bytes);
    }
  }
  if (head.kind == file::Kind::store) w.u64(head.ranks);
  if (head.kind == file::Kind::rows) w.u64(head.places);
  return w.take();
}

PartFile::PartFile(const std::filesystem::path& path)
    : file_(path, file::Loading::for_a_pass),
      container_(file::Container::over(file_.bytes(), path.string())) {
  if (container_.header().kind != file::Kind::part)
    throw Error(ErrorKind::usage, name() + ": not a part of a build in shards");
  head_ = decode_head(container_);
}

base::ByteView PartFile::counts() const {
  return container_.find(file::kValueCountSection).value_or(base::ByteView());
}

void PartFile::verify(unsigned threads, const std::function<void(std::uint64_t)>& progress) const {
  std::atomic<std::uint64_t> held = 0;  // of all threads: a page that one still reads comes back
  container_.check_sums(threads, [&](std::uint64_t some) {
    progress(some);
    if (held.fetch_add(some) + some < kForget) return;
    held = 0;
    file_.forget();
  });
  file_.forget();
}

void PartFile::for_each_piece(std::size_t index,
                              const std::function<void(const Piece&)>& use) const {
  const SectionShare& section = head_.sections[index];
  const auto all = [&](std::uint32_t type) {
    return container_.find(type, index).value_or(base::ByteView());
  };
  base::ByteView bodies = all(file::kPartBodiesSection).subspan(section.lead);
  base::ByteView notes = all(file::kPartNotesSection);
  base::ByteView signatures = all(file::kPartSignaturesSection);
  const auto take = [](base::ByteView& from, std::uint64_t bytes) {
    const base::ByteView taken = from.first(bytes);
    from = from.subspan(bytes);
    return taken;
  };
  std::uint64_t used = 0;  // since the last time
  for (const SectionShare::Piece& piece : section.pieces) {
    use({{take(bodies, piece.body_bytes), take(notes, piece.note_bytes)},
         take(signatures, piece.signature_bytes)});
    used += piece.body_bytes + piece.note_bytes + piece.signature_bytes;
    if (used < kForget) continue;
    file_.forget();
    used = 0;
  }
  file_.forget();
}

records::SlottedUnits PartFile::units() const {
  const base::ByteView slots = container_.require(file::kSlotSection, "slots");
  const base::ByteView units = container_.require(file::kUnitSection, "section of units");
  return file::naming(
      name(), [&] { return records::SlottedUnits(records::Slots(slots, head_.ranks), units); });
}

void PartFile::for_each_entry(const records::CodecType& codec,
                              const std::function<void(const records::PartEntry&)>& use) const {
  const records::SlottedUnits all = units();
  records::PartRecordsReader reader(codec, all);
  std::uint64_t used = 0;
  while (const records::PartEntry* const entry = reader.next()) {
    use(*entry);
    used += entry->bytes.size();
    if (used < kForget) continue;
    file_.forget();
    used = 0;
  }
  file_.forget();
}

}  // namespace crivo::index
