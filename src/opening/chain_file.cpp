// SPDX-License-Identifier: Apache-2.0
#include "opening/chain_file.hpp"

#include <algorithm>
#include <utility>

#include "crivo/error.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"
#include "opening/kinds.hpp"
#include "opening/open_trusted.hpp"

namespace crivo::exact {
namespace {

constexpr std::uint64_t kMostLinks = 1 << 20;
constexpr std::uint64_t kLinkBytes = 48;

std::vector<file::Container> links_of(const file::Container& own, const OpenOptions& options) {
  if (own.header().kind == file::Kind::chain) return open_links(own, options);
  index::require_kind(own, file::Kind::exact);
  return {};
}

}  // namespace

base::Bytes encode_chain(const Chain& chain) {
  base::FieldWriter out;
  out.bytes(chain.state).u64(chain.links.size());
  for (const Chain::Link& link : chain.links)
    out.bytes(link.root).u64(link.bytes).u64(link.name.size());
  for (const Chain::Link& link : chain.links) out.bytes(base::as_bytes(link.name));
  return out.take();
}

Chain decode_chain(const file::Container& container) {
  const base::ByteView section = container.require(file::kLinkSection, "links");
  return file::naming(container.name(), [&] {
    base::FieldReader fields(section, "section of links");
    Chain chain;
    std::ranges::copy(fields.take(chain.state.size()), chain.state.begin());
    const std::uint64_t count = fields.u64();
    if (count < 2 || count > kMostLinks || count > fields.remaining() / kLinkBytes)
      fields.fail("has an impossible number of files");
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t i = 0; i < count; ++i) {
      Chain::Link& link = chain.links.emplace_back();
      std::ranges::copy(fields.take(link.root.size()), link.root.begin());
      link.bytes = fields.u64();
      lengths.push_back(fields.u64());
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      chain.links[i].name = base::as_text(fields.take(lengths[i]));
      if (!file::is_part_name(chain.links[i].name)) fields.fail("has an impossible name of a file");
    }
    fields.expect_end();
    return chain;
  });
}

Delta open_delta(const file::Container& container) {
  container.check_sums(1, [](std::uint64_t) {});
  const base::ByteView section = container.require(file::kFlipSection, "flips");
  Delta delta = file::naming(container.name(), [&] { return decode_delta(section); });
  if (delta.flips() != container.header().keys)
    container.fail("damaged: the header and the lists disagree on the flips");
  return delta;
}

std::vector<file::Container> open_links(const file::Container& chain, const OpenOptions& options) {
  const Chain table = decode_chain(chain);
  if (chain.path().empty())
    throw Error(ErrorKind::usage,
                chain.name() + ": a chain needs its files beside it; open it by its path");
  const std::filesystem::path folder = chain.path().parent_path();
  std::vector<file::Container> files;
  files.reserve(table.links.size());
  for (const Chain::Link& link : table.links) {
    const file::Kind kind = files.empty() ? file::Kind::exact : file::Kind::delta;
    const std::filesystem::path path = folder / link.name;
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      chain.fail("its file " + link.name + " is not there");
    file::Container file = index::open_kind(path, kind, options);
    if (file.digest() != link.root || file.bytes() != link.bytes) {
      chain.fail("its file " + link.name + " is another one: its digest is " +
                 file::to_hex(file.digest()) + ", not " + file::to_hex(link.root));
    }
    files.push_back(std::move(file));
  }
  return files;
}

LinkedSet::LinkedSet(std::vector<const file::Container*> files)
    : files_(std::move(files)),
      exact_(base()),
      covers_(exact_.covers),
      state_(base().digest()),
      groups_(exact_.set->groups().size()),
      members_(exact_.set->totals().members),
      universe_(exact_.set->totals().universe),
      set_(*exact_.set, flips_) {
  std::vector<Delta> deltas;
  for (std::size_t i = 1; i < files_.size(); ++i) {
    const file::Container& file = *files_[i];
    const Delta& delta = deltas.emplace_back(open_delta(file));
    check_next(file, delta);
    state_ = delta.after(file.digest());
    next_number_ += delta.lists.size();
    groups_ = delta.groups_after();
    members_ = delta.lists.back().members;
    universe_ = delta.lists.back().universe;
    delta_bytes_ += file.bytes();
    // A base that covers all, covers all.
    for (Coverage& covered : covers_of(file)) {
      if (!exact_.covers.empty() && std::ranges::find(covers_, covered) == covers_.end())
        covers_.push_back(std::move(covered));
    }
  }
  const std::string& last = files_.back()->name();
  if (!deltas.empty())
    flips_ = file::naming(last, [&] { return FlipTable(deltas, exact_.set->groups().size()); });
}

void LinkedSet::check_next(const file::Container& container, const Delta& delta) const {
  if (delta.base != base().digest()) {
    container.fail("a delta of another base: it changes " + file::to_hex(delta.base) + ", and " +
                   base().name() + " is " + file::to_hex(base().digest()));
  }
  const std::string after =
      " that " + base().name() + " and " + std::to_string(next_number_ - 1) + " deltas make";
  if (delta.number != next_number_) {
    container.fail("out of order: delta " + std::to_string(delta.number) +
                   " cannot follow the state" + after);
  }
  if (delta.before != state_) {
    container.fail("does not follow: it changes the state " + file::to_hex(delta.before) +
                   ", not " + file::to_hex(state_) + after);
  }
  const file::Header& header = container.header();
  if (header.seed != base().header().seed || header.key_hash != base().header().key_hash ||
      delta.grouped != exact_.set->totals().grouped || delta.groups != groups_)
    container.fail("damaged: it does not fit the set " + base().name() + " that it names");
}

Delta next_delta(const LinkedSet& layers, const FlipList& list) {
  return {.base = layers.base().digest(),
          .before = layers.state(),
          .number = layers.next_number(),
          .grouped = layers.exact().set->totals().grouped,
          .groups = layers.set().groups(),
          .lists = {list}};
}

std::vector<const file::Container*> pointers(const file::Container& own,
                                             const std::vector<file::Container>& links) {
  if (links.empty()) return {&own};
  std::vector<const file::Container*> files;
  files.reserve(links.size());
  for (const file::Container& link : links) files.push_back(&link);
  return files;
}

LayeredFile::LayeredFile(file::Container own, const OpenOptions& options)
    : own_(std::move(own)), links_(links_of(own_, options)), layers_(pointers(own_, links_)) {
  if (!is_chain()) return;
  const Chain chain = decode_chain(own_);
  if (chain.state != layers_.state()) own_.fail("damaged: its deltas make another state");
  if (own_.header().keys != layers_.members())
    own_.fail("damaged: the header and the last delta disagree on n");
}

file::Container open_layered(const std::filesystem::path& path, const OpenOptions& options) {
  file::Container own = file::Container::open(path, file::loading(options.mode));
  if (own.header().kind == file::Kind::chain) return own;
  if (!options.trust) return index::of_kind(std::move(own), file::Kind::exact);
  return index::open_kind(path, file::Kind::exact, options);
}

}  // namespace crivo::exact
