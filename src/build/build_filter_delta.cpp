// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "build/built_file.hpp"
#include "build/built_hash.hpp"
#include "build/notes.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/suffixes.hpp"
#include "file/section_types.hpp"
#include "lookup/filter_file.hpp"
#include "structures/build/filter.hpp"
#include "structures/exact/build/gathered_keys.hpp"

namespace crivo {
namespace {

constexpr double kLeastFpr = 0x1p-32;

std::vector<PhaseCost> layer_phases() {
  return {{"check keys", 20}, {"filter", 60}};
}

/// The rate of the next layer. By default all together have at most that of the base: the sum of
/// 1 / (i (i + 1)) over all i is 1.
double layer_fpr(const filter::LinkedFilter& linked, const FilterDeltaOptions& asked) {
  if (asked.fpr) {
    if (!(*asked.fpr < 1 && *asked.fpr >= kLeastFpr))
      base::refuse_option("fpr", *asked.fpr, "is not between 2^-32 and 1");
    return *asked.fpr;
  }
  const double base = linked.base().header().keys == 0 ? filter::asked_fpr({}) : linked.base_fpr();
  const auto number = static_cast<double>(linked.next_number());
  return std::max(base / (number * (number + 1)), kLeastFpr);
}

using NewKeys = exact::Gathered<Hash128>;

/// Those that no layer holds.
void gather_new(const stream::HashSource& keys, const filter::Membership& known, NewKeys& found,
                const base::BuildContext& context) {
  keys.for_each_partition(
      stream::partition_bits_for(keys.size()), {}, context,
      [&](std::uint64_t, const stream::KeySlice& slice) {
        std::vector<Hash128> lacking;
        std::array<bool, 256> held{};
        for (std::size_t begin = 0; begin < slice.size(); begin += held.size()) {
          const auto block =
              slice.hashes.subspan(begin, std::min(held.size(), slice.size() - begin));
          known.contains(block, held.data());
          for (std::size_t i = 0; i < block.size(); ++i) {
            if (!held[i]) lacking.push_back(block[i]);
          }
        }
        return lacking;
      },
      [&](std::uint64_t, const std::vector<Hash128>& lacking) {
        for (const Hash128& hash : lacking) found.writer(0).add(hash);
      });
  found.finish();
}

}  // namespace

BuildSummary build_filter_delta(const std::filesystem::path& filter, const KeyInput& added,
                                const Output& output, const FilterDeltaOptions& asked,
                                const BuildOptions& options) try {
  const filter::LayeredFilter file(exact::open_layered(filter, file::Kind::filter, {}), {});
  const filter::LinkedFilter& linked = file.linked();
  if (file.own().parts() != nullptr)
    throw Error(ErrorKind::usage,
                file.own().name() + ": a manifest cannot be a base; merge its parts first");
  if (!hashing::stands_for(linked.base().header().key_hash, hashing::KeyHashId::xxh3))
    throw Error(ErrorKind::usage, linked.base().name() + ": is a " +
                                      std::string(linked.type().name) +
                                      " filter, whose keys have another hash; deltas are of the "
                                      "other types");
  index::check_input(added, KindInput::keys, "a delta of a filter");
  const FilterOptions layer{.fpr = layer_fpr(linked, asked)};
  const file::Header& base = linked.base().header();
  index::BuildFrame frame(options, hashing::hash_family(base.key_hash));
  file::OutputTarget target = frame.outputs().file(output, added);
  target.refuse_inputs({filter.string(), linked.base().name()});
  index::BuiltFile built(target, output.name());
  const index::PreparedInput prepared =
      frame.prepare(added, index::Units::keys, {}, layer_phases());
  file::Header header = linked.next_header();
  input::HashOptions hashing = frame.hash_options(
      prepared, header,
      {{"state", file::to_hex(linked.state())}, {"fpr", std::to_string(*layer.fpr)}});
  hashing.seed = base.seed;
  hashing.prefixes = recorded_prefixes(linked.base().metadata());
  hashing.memory_bytes /= 2;
  std::uint64_t temp_bytes = 0;
  input::hash_keys(added, hashing, frame.context(), [&](const input::KeySet& keys) {
    index::require_seed(keys, base.seed, added, filter);
    frame.end_reading(keys);
    const base::BuildContext context = frame.context();
    context.progress.begin("check keys", keys.keys.size());
    NewKeys found(keys.keys.size(), {frame.memory().budget().stream_bytes() / 2, frame.temp_dir()},
                  context);
    gather_new(keys.keys, linked.membership(), found, context);
    const auto lacking = found.distinct({}, context);
    header.keys = lacking->size();
    const exact::FlipList list{.members = linked.members() + header.keys};
    file::ContainerWriter& writer = built.begin_index(file::HashTree::sha256);
    writer.begin_section(file::kFlipSection).append(exact::encode_delta(linked.next(list)));
    filter::builder_of(filter::layer_type())
        .build(*lacking, layer, context, writer.begin_section(file::kRibbonSection));
    frame.end_building();
    temp_bytes = found.temp_bytes();
    built.finish(header, index::with_notes({}, options));
  });
  BuildSummary summary = built.publish(frame, header, "layers");
  summary.temp_bytes += temp_bytes;
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
