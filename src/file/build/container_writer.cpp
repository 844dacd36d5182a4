// SPDX-License-Identifier: Apache-2.0
#include <xxhash.h>

#include <utility>

#include "base/arithmetic.hpp"
#include "file/container.hpp"
#include "file/copied_ends.hpp"
#include "file/hash_tree.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

/// The header up to its checksum.
base::Bytes encode_header(const Header& header, HashTree tree, std::uint64_t file_length,
                          std::uint64_t table_offset, std::size_t sections) {
  base::FieldWriter w;
  w.bytes(layout::magic()).u16(kMajorVersion).u16(kMinorVersion);
  w.u32(static_cast<std::uint32_t>(layout::kHeaderBytes));
  w.u64(0).u64(0);  // incompatible and compatible features: none yet
  w.u64(file_length).u64(table_offset);
  w.u32(static_cast<std::uint32_t>(sections)).u32(static_cast<std::uint32_t>(header.kind));
  w.u64(header.keys).u64(header.seed).u32(static_cast<std::uint32_t>(header.key_hash));
  w.u16(static_cast<std::uint16_t>(header.value_type)).u16(header.value_scale);
  w.bytes(header.content_id).bytes(header.build_id).u32(static_cast<std::uint32_t>(tree));
  w.zeros(layout::kHeaderChecksumAt - w.view().size());  // reserved and unused
  return w.take();
}

/// The table, and the footer up to its tail.
base::Bytes encode_table(const std::vector<SectionEntry>& sections) {
  base::FieldWriter w;
  for (const SectionEntry& section : sections) {
    w.u32(section.type).u32(0).u64(section.offset).u64(section.length);
    w.u32(static_cast<std::uint32_t>(section.alignment)).u32(0);
    w.u64(section.checksum).u64(section.tag);
    w.u64(section.list_check).u64(0).bytes(section.hash);  // unused
  }
  w.u64(0).u64(0);  // reserved, unused
  return w.take();
}

}  // namespace

/// Appends to the output and hashes what passes.
class ContainerWriter::SectionSink final : public base::Sink {
 public:
  SectionSink(Appender& output, const SectionEntry& entry, HashTree tree, page_sums::Writer* sums)
      : output_(output), entry_(entry), hashes_(tree), sums_(sums) {}

  void append(base::ByteView bytes) override {
    hashes_.add(bytes);
    if (sums_ != nullptr && entry_.type == kUnitSection) {
      sums_->skip(bytes);
    } else if (sums_ != nullptr) {
      sums_->add(bytes);
    }
    output_.append(bytes);
  }
  std::uint64_t size() const noexcept override { return output_.size() - entry_.offset; }

  struct Finished {
    SectionEntry entry;
    ChunkHashes::Hashes hashes;
  };
  /// Call once, last.
  Finished finish() {
    entry_.length = size();
    ChunkHashes::Hashes hashes = hashes_.finish();
    entry_.checksum = XXH3_64bits(hashes.sums.data(), hashes.sums.size());
    return {entry_, std::move(hashes)};
  }

 private:
  Appender& output_;
  SectionEntry entry_;
  ChunkHashes hashes_;
  page_sums::Writer* sums_;
};

ContainerWriter::ContainerWriter(PendingFile& file, HashTree tree, PageSums sums)
    : file_(file), output_(file), tree_(tree) {
  if (tree != HashTree::none && sums != PageSums::none) page_sums_.emplace();
  output_.append(
      base::Bytes(layout::kHeaderBytes));  // written last, when all that it says is known
}

ContainerWriter::~ContainerWriter() = default;

base::Sink& ContainerWriter::begin_section(std::uint32_t type, std::uint64_t tag,
                                           std::uint64_t alignment) {
  end_section();
  align(alignment);
  open_section_ = std::make_unique<SectionSink>(
      output_,
      SectionEntry{.type = type, .tag = tag, .alignment = alignment, .offset = output_.size()},
      type == kLeavesSection ? HashTree::none : tree_, page_sums_ ? &*page_sums_ : nullptr);
  return *open_section_;
}

void ContainerWriter::end_section() {
  if (!open_section_) return;
  SectionSink::Finished finished = open_section_->finish();
  open_section_.reset();
  const base::Bytes& sums = finished.hashes.sums;
  checksums_.insert(checksums_.end(), sums.begin(), sums.end());
  if (tree_ != HashTree::none && finished.entry.type != kLeavesSection) {
    finished.entry.hash = add_lists(finished.entry.length, std::move(finished.hashes.leaves));
  }
  sections_.push_back(finished.entry);
}

Digest ContainerWriter::add_lists(std::uint64_t section_bytes, base::Bytes leaves) {
  const tree::Lists lists = tree::lists_of(std::move(leaves));
  if (tree::bytes_of_lists(section_bytes) != 0)
    leaves_.insert(leaves_.end(), lists.bytes.begin(), lists.bytes.end());
  return lists.hash;
}

void ContainerWriter::align(std::uint64_t unit) {
  const base::Bytes zeros(base::align_up(output_.size(), unit) - output_.size());
  if (page_sums_) page_sums_->add(zeros);
  output_.append(zeros);
}

void ContainerWriter::add_page_sums(Kind kind) {
  if (!page_sums_) return;
  const std::uint64_t end = output_.size();
  const base::Bytes sums = page_sums_->finish();
  page_sums_.reset();
  if (!page_sums::are_of(end) || tags_of(kind, kPageSumsSection) == 0) return;
  const page_sums::Shape shape(end);
  begin_section(kPageSumsSection, 0, shape.alignment()).append(sums);
  end_section();
  sections_.back().list_check = page_sums::check_of(sums, shape);
}

ContainerWriter::MappedSection ContainerWriter::map_section() {
  end_section();
  output_.flush();
  MappedFile file(file_.path_to_open(), Loading::live);
  const SectionEntry& section = sections_.back();
  const base::ByteView bytes = file.bytes().subspan(section.offset, section.length);
  return {std::move(file), bytes};
}

void ContainerWriter::copy_ends(std::uint64_t head, std::uint64_t tail) {
  end_section();
  if (tree_ == HashTree::none || sections_.back().length <= layout::kChunkBytes) return;
  const MappedSection section = map_section();
  append({sections_.size() - 1, section.bytes.first(head), section.bytes.last(tail)}, directory_);
}

ContainerWriter::Written ContainerWriter::finish(const Header& header, const Metadata& metadata) {
  if (!metadata.empty()) begin_section(kMetadataSection).append(encode(metadata));
  end_section();
  add_page_sums(header.kind);
  if (!directory_.empty()) {  // it comes behind the leaves, of which it may have some
    ChunkHashes hashes(tree_);
    hashes.add(directory_);
    add_lists(directory_.size(), hashes.finish().leaves);
  }
  if (!leaves_.empty()) begin_section(kLeavesSection).append(leaves_);
  if (!directory_.empty()) begin_section(kDirectorySection).append(directory_);
  end_section();
  align(layout::kAlignment);
  output_.append(checksums_);
  const std::uint64_t table_offset = output_.size();
  const base::Bytes table = encode_table(sections_);
  const std::uint64_t length = table_offset + table.size() + layout::kFooterTailBytes;
  const base::Bytes head = encode_header(header, tree_, length, table_offset, sections_.size());

  const base::Bytes checked = base::FieldWriter().bytes(head).bytes(table).take();
  const std::uint64_t checksum = XXH3_64bits(checked.data(), checked.size());
  const base::Bytes tail =
      base::FieldWriter().u64(length).u64(checksum).bytes(layout::inverted_magic()).take();
  output_.append(table);
  output_.append(tail);
  output_.flush();
  const base::Bytes whole_head = base::FieldWriter().bytes(head).u64(checksum).take();
  file_.write_at(0, whole_head);
  return {output_.size(), hashing::Sha256().add(whole_head).add(table).add(tail).value()};
}

}  // namespace crivo::file
