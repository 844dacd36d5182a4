// SPDX-License-Identifier: Apache-2.0
/// Manifests of the parts of sharded builds.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/build_frame.hpp"
#include "build/notes.hpp"
#include "crivo/build/shards.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"
#include "lookup/describe.hpp"
#include "lookup/rank_index.hpp"
#include "lookup/store_files.hpp"
#include "records/build/bumped_records.hpp"
#include "records/served/build/bumped_table_writer.hpp"
#include "records/served/bumped_table.hpp"
#include "shards/exact_parts.hpp"
#include "shards/file_parts.hpp"
#include "shards/part_exchange.hpp"
#include "shards/part_set.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/signatures.hpp"

namespace crivo {
namespace {

using file::ManifestSections;
using file::ManifestTable;
using index::PartFile;
using index::Parts;

/// The folder that a file is, or will be, in, without symbolic links.
std::filesystem::path folder_of(const std::filesystem::path& file) {
  return std::filesystem::canonical(std::filesystem::absolute(file).parent_path());
}

/// Returns a manifest's name for a part, below `folder`. Throws Error(usage) for one that is not
/// below it.
std::string name_below(const std::filesystem::path& folder, const std::filesystem::path& part) {
  std::string name =
      (folder_of(part) / part.filename()).lexically_relative(folder).generic_string();
  if (file::is_part_name(name)) return name;
  throw Error(ErrorKind::usage, part.string() + ": is not below the manifest's folder, " +
                                    folder.string() + ", by a name that every system has");
}

/// Checks the chunks of a part that some of its bytes are in.
void check_bytes(const PartFile& part, base::ByteView bytes) {
  const auto at = static_cast<std::uint64_t>(bytes.data() - part.container().file_bytes().data());
  for (const file::SectionEntry& section : part.container().sections()) {
    if (at >= section.offset && at - section.offset < section.length)
      part.container().check_sums(section, at - section.offset, bytes.size());
  }
}

/// Checks the sections of a type.
void check_sections(const PartFile& part, std::uint32_t type, const base::BuildContext& context) {
  constexpr std::uint64_t kForget = std::uint64_t{8} << 20;  // whole chunks
  for (const file::SectionEntry& section : part.container().sections()) {
    if (section.type != type) continue;
    for (std::uint64_t at = 0; at < section.length; at += kForget) {
      const std::uint64_t some = std::min(kForget, section.length - at);
      part.container().check_sums(section, at, some);
      part.forget();
      context.progress.add(some);
    }
  }
}

/// Adds a section as a part has it.
void add_as_it_is(const Parts& parts, std::size_t i, std::uint32_t type, std::uint64_t part_tag,
                  std::uint64_t tag, ManifestSections& sections) {
  const PartFile& part = *parts[i];
  const base::ByteView bytes = part.container().find(type, part_tag).value_or(base::ByteView());
  base::Sink& sink = sections.begin_section(type, tag);
  sections.set_part(static_cast<std::uint32_t>(i), part.container().file_bytes(),
                    [&](base::ByteView some) { check_bytes(part, some); });
  sink.append(bytes);
  sections.set_no_part();
}

/// The signatures as the parts have them, each a section that tells its first rank.
void add_signature_runs(const Parts& parts, std::uint64_t width, ManifestSections& sections) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto bytes = parts[i]->container().find(file::kPartSignaturesSection);
    if (!bytes || bytes->empty()) continue;
    add_as_it_is(parts, i, file::kPartSignaturesSection, 0, first, sections);
    first += bytes->size() / width;
  }
}

/// A section that was added, as it is when the manifest is open.
std::unique_ptr<const file::PageImage> image_of(const ManifestTable::Section& section,
                                                const Parts& parts, const base::TempFile& own) {
  constexpr std::uint64_t kPage = file::layout::kPageAlignment;
  const std::string& name = parts.front()->name();
  auto image = std::make_unique<file::PageImage>(section.pages(), file::Loading::mapped, name);
  std::uint64_t at = 0;
  for (const auto& [source, page, pages] : section.runs) {
    if (source >= ManifestTable::kFirstPart) {
      const PartFile& part = *parts[source - ManifestTable::kFirstPart];
      if (image->copies()) {
        image->put(at, part.container().file_bytes().subspan(page * kPage, pages * kPage));
      } else {
        image->map(at, base::FileDescriptor::open_to_read(part.name()), part.name(), page, pages);
      }
    } else if (source == ManifestTable::kOwn && image->copies()) {
      base::Bytes bytes(pages * kPage);
      own.read_at(page * kPage, bytes);
      image->put(at, bytes);
    } else if (source == ManifestTable::kOwn) {
      image->map(at, own.descriptor(), name, page, pages);
    }
    at += pages;
  }
  image->finish();
  return image;
}

/// The function, which is the first section, as it is when the manifest is open.
struct ServedFunction {
  ServedFunction(const index::Recipe& recipe, const Parts& parts, ManifestSections& sections,
                 const base::TempFile& own)
      : section(sections.finish().front()),
        image(image_of(section, parts, own)),
        function(recipe.ranked->algorithm().open(image->bytes().first(section.bytes))) {}

  ManifestTable::Section section;
  std::unique_ptr<const file::PageImage> image;
  std::unique_ptr<const mphf::Function> function;
};

/// Those that have the records of bumped keys.
base::ByteView notes_of(const PartFile& part) {
  return part.container()
      .find(file::kPartNotesSection, index::kBumpedRecords)
      .value_or(base::ByteView());
}

/// Where the records of bumped keys are in the parts, by rank; `first` ranks are the parts'.
void write_places_of_bumped(const Parts& parts, const mphf::Function& function, std::uint64_t first,
                            const base::BuildContext& context, base::Sink& sink) {
  constexpr std::uint64_t kUsualShare = 64;  // of keys, of which one is bumped
  const hashing::Crc32c check_of = hashing::crc32c();
  records::BumpedTableWriter table(function.size(),
                                   std::max(function.size() / kUsualShare, function.size() - first),
                                   context.scratch);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartFile& part = *parts[i];
    const base::ByteView notes = notes_of(part);
    const auto ranks = [&](std::span<const Hash128> hashes, std::uint64_t* found) {
      function.ranks(hashes, found);
    };
    const auto add = [&](const records::RankedRecord& bumped_key) {
      table.add({bumped_key.rank, static_cast<std::uint64_t>(bumped_key.raw.data() - notes.data()),
                 static_cast<std::uint32_t>(i), check_of(bumped_key.raw, bumped_key.rank)});
    };
    file::naming(part.name(), [&] {
      part.for_each_piece(index::kBumpedRecords, [&](const PartFile::Piece& piece) {
        records::rank_bumped(piece.part.notes, function.size(), ranks, add);
      });
    });
  }
  table.finish(first, context, sink);
}

/// The records of a store: units and slots of each part's ranks, and where bumped keys' are.
void add_record_sections(const Parts& parts, const mphf::Function& function,
                         const base::BuildContext& context, ManifestSections& sections) {
  sections.begin_section(file::kCodecSection).append(index::common_codec(parts).encode());
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->head().ranks > function.size() - first)
      parts[i]->container().fail("damaged: it has more ranks than there are keys");
    if (parts[i]->head().ranks != 0) {
      add_as_it_is(parts, i, file::kSlotSection, 0, first, sections);
      add_as_it_is(parts, i, file::kUnitSection, 0, first, sections);
    }
    if (!notes_of(*parts[i]).empty())
      add_as_it_is(parts, i, file::kPartNotesSection, index::kBumpedRecords, i, sections);
    first += parts[i]->head().ranks;
  }
  sections.set_no_part();
  write_places_of_bumped(parts, function, first, context,
                         sections.begin_section(file::kBumpedRecordsSection));
}

/// Joins the parts to sections of the manifest, of the parts' own pages as far as they go.
class ManifestOutput final : public index::StepSink {
 public:
  ManifestOutput(const Parts& parts, ManifestSections& sections, const base::TempFile& own)
      : parts_(parts), sections_(sections), own_(own) {}

  void begin(const index::Recipe& recipe, const base::BuildContext& context) override {
    recipe_ = &recipe;
    context_ = &context;
  }
  base::Sink& begin_step(std::size_t index) override {
    step_ = &recipe_->steps[index];
    section_ = &sections_.begin_section(step_->section_type);
    step_->assembly()->begin(*context_, *section_);
    file_.reset();
    return *section_;
  }
  void add(const index::MadePart& made) override {
    if (made.file != index::MadePart::kNoFile && file_ != made.file) begin_file(made.file);
    step_->assembly()->join(made.part, *section_);
  }
  void end_step() override {
    sections_.set_no_part();
    step_->assembly()->finish(*context_, *section_);
    if (step_ == recipe_->steps.data() && recipe_->ranks_are_needed())
      served_ = std::make_unique<ServedFunction>(*recipe_, parts_, sections_, own_);
  }
  /// As the parts have them, and those of bumped keys beside.
  void add_signatures(const index::Step& /*step*/, unsigned bits,
                      const index::Sources& sources) override {
    const mphf::Function& function = *served_->function;
    if (index::are_unbuilt(recipe_->header.kind, recipe_->function->partition_bits(),
                           parts_.size())) {
      base::Sink& own = sections_.begin_section(file::kPartSignaturesSection);
      sources.signatures->for_each_signatures(function, bits, [&](base::ByteView some) {
        own.append(some);
        return true;
      });
    } else {
      add_signature_runs(parts_, bits / 8, sections_);
    }
    mphf::RankedBumped bumped(recipe_->function->bumped(), function, *context_);
    mphf::write_bumped(
        [&](mphf::RankedKey& next) { return bumped.take_below(function.size(), next); },
        function.size(), bits, context_->scratch,
        sections_.begin_section(file::kBumpedSignaturesSection));
  }
  base::Sink& begin_section(std::uint32_t type, std::uint64_t tag) override {
    return sections_.begin_section(type, tag);
  }
  void add_records(const index::Sources& /*sources*/) override {
    add_record_sections(parts_, *served_->function, *context_, sections_);
  }

 private:
  void begin_file(std::size_t file) {
    sections_.set_no_part();
    step_->assembly()->begin_page(*section_);
    const PartFile& part = *parts_[file];
    sections_.set_part(static_cast<std::uint32_t>(file), part.container().file_bytes(),
                       [&part](base::ByteView bytes) { check_bytes(part, bytes); });
    file_ = file;
  }

  const Parts& parts_;
  ManifestSections& sections_;
  const base::TempFile& own_;  // the pages of the sections that no part has
  const index::Recipe* recipe_ = nullptr;
  const base::BuildContext* context_ = nullptr;
  const index::Step* step_ = nullptr;
  base::Sink* section_ = nullptr;    // of the step
  std::optional<std::size_t> file_;  // that the last part was in
  std::unique_ptr<ServedFunction> served_;
};

void copy(const base::TempFile& file, base::Sink& sink) {
  constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
  base::Bytes piece;
  for (std::uint64_t at = 0; at < file.bytes(); at += piece.size()) {
    piece.resize(std::min(kPieceBytes, file.bytes() - at));
    file.read_at(at, piece);
    sink.append(piece);
  }
}

/// Says of the manifest, which is not published yet, what it will say when it is opened there: so
/// it is opened once before it has its name.
void describe_manifest(const file::PendingFile& file, const std::filesystem::path& output,
                       BuildSummary& summary) {
  const auto loading = file::Loading::for_a_pass;
  base::FileDescriptor opened = file::open_to_map(file.path_to_open());
  file::Container manifest =
      file::Container::with_parts(file::Container::open(opened, output.string(), loading), opened,
                                  output.parent_path(), loading);
  const bool is_store = manifest.header().kind == file::Kind::store;
  index::add_description(
      is_store ? index::describe(index::StoreFiles(output, std::move(opened), std::move(manifest)))
               : index::describe(manifest),
      summary);
}

}  // namespace

BuildSummary write_manifest(const std::vector<std::filesystem::path>& paths,
                            const std::filesystem::path& output, const BuildOptions& options) try {
  index::BuildFrame frame(options);
  KeyInput inputs;
  for (const std::filesystem::path& path : paths) inputs.paths.push_back(path.string());
  file::PendingFile file(frame.outputs().file(output, inputs));
  const index::PartExchange exchange(options);
  for (const std::filesystem::path& path : index::get_missing_parts(exchange, paths))
    exchange.compare_file(path);
  const Parts parts = index::open_parts(paths);
  if (index::is_listed(*parts.front()) || parts.front()->head().kind == file::Kind::rows)
    throw Error(ErrorKind::usage,
                parts.front()->name() + ": is a part of " +
                    std::string(file::find_kind(parts.front()->head().kind)->noun) +
                    ", whose parts are merged and not served");
  ManifestTable table;
  const std::filesystem::path folder = folder_of(output);
  for (const auto& part : parts) {
    table.parts.push_back(
        {name_below(folder, part->name()), part->container().digest(), part->container().bytes()});
  }
  index::Recipe plan = index::common_plan(parts);
  table.kind = plan.header.kind;
  const base::BuildContext context = frame.context();
  context.progress.begin("manifest", index::bytes_of(parts), Progress::Unit::bytes);
  for (const auto& part : parts) {
    check_sections(*part, file::kPartNotesSection, context);
    // Ranks of bumped keys are found by lookups in the bodies.
    if (plan.ranks_are_needed()) check_sections(*part, file::kPartBodiesSection, context);
  }
  frame.summary().end_reading_parts(plan.header.keys);

  base::TempFile own(frame.temp_dir());
  ManifestSections sections(own);
  ManifestOutput joined(parts, sections, own);
  Progress silent;  // it is the bytes that are checked which are counted
  index::FileParts source(parts, plan, {context.threads, silent, context.scratch});
  index::run(plan, source.sources(), joined, context);
  sections.begin_section(file::kMetadataSection)
      .append(file::encode(index::with_notes(plan.metadata, options)));
  table.sections = sections.finish();

  file::ContainerWriter writer(file);
  writer.begin_section(file::kManifestSection).append(file::encode(table));
  copy(own, writer.begin_section(file::kManifestPagesSection, 0, file::layout::kPageAlignment));
  frame.end_building();
  file::Header header = plan.header;
  header.kind = file::Kind::manifest;
  const auto written = writer.finish(header, {});
  index::UnpublishedSummary draft = frame.summarize(header, plan.algorithm, written);
  describe_manifest(file, output, *draft);
  BuildSummary summary = std::move(draft).published(file.publish());
  exchange.put_file(output);
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
