#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "crivo/shards.hpp"
#include "file/section_types.hpp"
#include "index/build_frame.hpp"
#include "index/built_file.hpp"
#include "index/part_file.hpp"
#include "index/part_plan.hpp"
#include "index/rank_index.hpp"

namespace crivo {
namespace {

using index::PartFile;
using index::PartHead;
using Parts = std::vector<std::unique_ptr<const PartFile>>;

[[noreturn]] void refuse_merge(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::usage, name + ": " + problem);
}

/// "0, 3, 4 and 17 more".
std::string list(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kNamed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, numbers.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  if (numbers.size() > kNamed) text += " and " + std::to_string(numbers.size() - kNamed) + " more";
  return text;
}

/// The parts of all shards, in their order.
Parts open_parts(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) throw Error(ErrorKind::usage, "no parts were given");
  Parts parts;
  for (const std::filesystem::path& path : paths) {
    auto part = std::make_unique<const PartFile>(path);
    const PartFile& first = parts.empty() ? *part : *std::ranges::find_if(parts, [](const auto& p) {
                                                       return p != nullptr;
                                                     })->get();
    const std::uint64_t shards = first.head().shard.count;
    if (part->container().header().build_id != first.container().header().build_id)
      refuse_merge(part->name(), "belongs to another build than " + first.name() +
                                     ": of other keys, or of other options");
    if (part->head().shard.count != shards)
      refuse_merge(part->name(), "is one of " + std::to_string(part->head().shard.count) +
                                     " parts, and " + first.name() + " one of " +
                                     std::to_string(shards));
    if (parts.empty()) parts.resize(shards);
    auto& place = parts[part->head().shard.index];
    if (place != nullptr)
      refuse_merge(part->name(), "is shard " + std::to_string(part->head().shard.index) +
                                     ", as is " + place->name());
    place = std::move(part);
  }
  std::vector<std::uint64_t> missing;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == nullptr) missing.push_back(i);
  }
  if (!missing.empty())
    throw Error(ErrorKind::usage, "of " + std::to_string(parts.size()) +
                                      " shards, the parts of these are missing: " + list(missing));
  return parts;
}

/// The plan that all parts must be of.
index::PartPlan common_plan(const Parts& parts) {
  const PartFile& first = *parts.front();
  const PartHead& head = first.head();
  const file::Header& header = first.container().header();
  index::PartPlan plan = file::naming(first.name(), [&] {
    std::optional<csf::Histogram> counts;
    if (!first.counts().empty())
      counts = csf::decode_histogram(first.counts(), header.keys, "value counts");
    return index::plan_of(head.kind, head.choices, header.keys, head.value_width, counts);
  });
  for (const auto& part : parts) {
    const PartHead& other = part->head();
    const auto is_same = [&](const index::PartedSection& section,
                             const index::SectionShare& share) {
      return section.type == share.type &&
             section.assembly->partition_bits() == share.partition_bits;
    };
    const bool agrees = other.kind == head.kind && other.choices == head.choices &&
                        other.value_width == head.value_width &&
                        std::ranges::equal(part->counts(), first.counts()) &&
                        part->container().header().keys == header.keys &&
                        part->container().header().seed == header.seed &&
                        part->container().header().key_hash == header.key_hash &&
                        std::ranges::equal(plan.sections, other.sections, is_same);
    if (!agrees) part->container().fail("damaged: it is not planned as the other parts");
  }
  plan.header.seed = header.seed;
  plan.header.key_hash = header.key_hash;
  plan.header.build_id = header.build_id;
  return plan;
}

/// Joins the pieces of a section of all parts.
void join_section(const Parts& parts, std::size_t index, Assembly& assembly,
                  const base::BuildContext& context, base::Sink& sink) {
  assembly.begin(sink);
  for (const auto& part : parts) {
    file::naming(part->name(), [&] {
      part->for_each_piece(index, [&](const PartFile::Piece& piece) {
        assembly.join(piece.part, sink);
        context.progress.add(piece.part.body.size() + piece.part.notes.size());
      });
    });
  }
  assembly.finish(context, sink);
}

/// The signatures of the parts, with those of strays where their ranks are.
void join_signatures(const Parts& parts, const mphf::Function& function,
                     std::vector<Hash128> hashes, unsigned bits, const base::BuildContext& context,
                     base::Sink& sink) {
  struct Stray {
    std::uint64_t rank;
    Hash128 hash;
  };
  std::vector<std::uint64_t> ranks(hashes.size());
  function.ranks(hashes, ranks.data());
  std::vector<Stray> strays(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) strays[i] = {ranks[i], hashes[i]};
  ranks = {};
  hashes = {};
  std::ranges::sort(strays, {}, &Stray::rank);
  const std::uint64_t width = bits / 8;
  std::uint64_t first = 0;  // rank
  auto next = strays.begin();
  const auto append = [&](base::Bytes some) {
    const std::uint64_t end = first + some.size() / width;
    for (; next != strays.end() && next->rank < end; ++next) {
      mphf::put_signature(some.data(), next->rank - first, next->hash, bits);
    }
    sink.append(some);
    first = end;
  };
  sink.append(mphf::signature_header(function.size(), bits));
  for (const auto& part : parts) {
    part->for_each_piece(0, [&](const PartFile::Piece& piece) {
      const base::ByteView some = piece.signatures;
      if (some.size() % width != 0 || some.size() / width > function.size() - first)
        part->container().fail("damaged: it has signatures of other keys");
      append({some.begin(), some.end()});
      context.progress.add(some.size());
    });
  }
  constexpr std::uint64_t kSome = 1 << 16;
  while (first != function.size())
    append(base::Bytes(std::min(kSome, function.size() - first) * width));
}

}  // namespace

BuildSummary merge_parts(const std::vector<std::filesystem::path>& paths,
                         const std::filesystem::path& output, const BuildOptions& options) try {
  index::BuildFrame frame(options);
  KeyInput inputs;
  for (const std::filesystem::path& path : paths) inputs.paths.push_back(path.string());
  file::PendingFile file(frame.output_file(output, inputs));
  const Parts parts = open_parts(paths);
  std::uint64_t bytes = 0;
  for (const auto& part : parts) bytes += part->container().bytes();
  const base::BuildContext context = frame.context();
  context.progress.begin("verify", bytes, Progress::Unit::bytes);
  for (const auto& part : parts) {
    part->container().verify(context.threads,
                             [&](std::uint64_t some) { context.progress.add(some); });
  }
  index::PartPlan plan = common_plan(parts);
  frame.note_merged(plan.header.keys);

  context.progress.begin("merge", bytes, Progress::Unit::bytes);
  file::ContainerWriter writer(file);
  for (std::size_t i = 0; i < plan.sections.size(); ++i) {
    join_section(parts, i, *plan.sections[i].assembly, context,
                 writer.begin_section(plan.sections[i].type));
  }
  if (plan.signature_bits != 0) {
    const auto section = writer.map_section();
    const auto function = index::find_algorithm(plan.algorithm).open(section.bytes);
    join_signatures(parts, *function, plan.function->strays(context), plan.signature_bits, context,
                    writer.begin_section(file::kSignatureSection));
  }
  frame.note_built();
  const auto written = writer.finish(plan.header, plan.metadata);
  BuildSummary summary = frame.summarize(plan.header, plan.algorithm, written);
  index::describe_built(file, output, summary);
  frame.note_published(file.publish(), summary);
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
