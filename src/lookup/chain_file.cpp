// SPDX-License-Identifier: Apache-2.0
#include "lookup/chain_file.hpp"

#include <algorithm>
#include <utility>

#include "crivo/error.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"
#include "lookup/kinds.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/remote_files.hpp"

namespace crivo::exact {
namespace {

constexpr std::uint64_t kMostLinks = 1 << 20;
constexpr std::uint64_t kLinkBytes = 48;

/// A base that is to be replaced: what deltas are of it by then.
constexpr std::uint64_t kRebaseShare = 4;

/// Returns the kind that a base is to be opened as.
file::Kind kind_of_base(const file::Container& base) {
  const file::Kind kind = base.header().kind;
  return kind == file::Kind::filter || file::has_layers(kind) ? kind : file::Kind::exact;
}
file::Kind base_kind_at(const std::filesystem::path& path) {
  return kind_of_base(file::Container::open(path, file::Loading::mapped));
}

ChainState::Base known_of(const ExactFile& exact) {
  return {.grouped = exact.set->totals().grouped,
          .groups = exact.set->groups().size(),
          .universe = exact.set->totals().universe};
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
    if (count < 1 || count > kMostLinks || count > fields.remaining() / kLinkBytes)
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

Delta read_delta(const file::Container& container) {
  const base::ByteView section = container.require(file::kFlipSection, "flips");
  Delta delta = file::naming(container.name(), [&] { return decode_delta(section); });
  if (!delta.of_filter && delta.flips() != container.header().keys)
    container.fail("damaged: the header and the lists disagree on the flips");
  return delta;
}

Delta open_delta(const file::Container& container) {
  container.check_sums(1, [](std::uint64_t) {});
  return read_delta(container);
}

file::Kind base_kind(const file::Container& own) {
  if (own.header().kind != file::Kind::chain) return kind_of_base(own);
  return base_kind_at(path_of(own, decode_chain(own).links.front().name));
}

ChainState::ChainState(const file::Container& container, const Base& base)
    : base_(&container),
      known_(base),
      state_(container.digest()),
      members_(container.header().keys) {}

void ChainState::follow(const file::Container& container, const Delta& delta) {
  const std::string& name = base_->name();
  if (delta.base != base_->digest()) {
    container.fail("a delta of another base: it changes " + file::to_hex(delta.base) + ", and " +
                   name + " is " + file::to_hex(base_->digest()));
  }
  const std::string after =
      " that " + name + " and " + std::to_string(next_number_ - 1) + " deltas make";
  if (delta.number != next_number_) {
    container.fail("out of order: delta " + std::to_string(delta.number) +
                   " cannot follow the state" + after);
  }
  if (delta.before != state_) {
    container.fail("does not follow: it changes the state " + file::to_hex(delta.before) +
                   ", not " + file::to_hex(state_) + after);
  }
  const file::Header& header = container.header();
  if (header.seed != base_->header().seed || header.key_hash != base_->header().key_hash ||
      delta.of_filter != known_.of_filter || delta.grouped != known_.grouped ||
      delta.groups != known_.groups)
    container.fail("damaged: it does not fit " + name + ", which it names");
  state_ = delta.after(container.digest());
  next_number_ += delta.lists.size();
  known_.groups = delta.groups_after();
  known_.universe = delta.lists.back().universe;
  members_ = delta.lists.back().members;
  delta_bytes_ += container.bytes();
  ++deltas_;
}

Delta ChainState::next(const FlipList& list) const {
  return {.base = base_->digest(),
          .before = state_,
          .number = next_number_,
          .of_filter = known_.of_filter,
          .grouped = known_.grouped,
          .groups = known_.groups,
          .lists = {list}};
}

file::Header ChainState::next_header() const {
  file::Header header;
  header.kind = file::Kind::delta;
  header.key_hash = base_->header().key_hash;
  header.seed = base_->header().seed;
  return header;
}

bool ChainState::is_long() const noexcept {
  return delta_bytes_ > base_->bytes() / kRebaseShare;
}

LinkedSet::LinkedSet(const std::vector<const file::Container*>& files)
    : LinkedSet(files, ExactFile(*files.front())) {}

LinkedSet::LinkedSet(const std::vector<const file::Container*>& files, ExactFile exact)
    : ChainState(*files.front(), known_of(exact)),
      exact_(std::move(exact)),
      covers_(exact_.covers),
      set_(*exact_.set, flips_) {
  std::vector<Delta> deltas;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const file::Container& file = *files[i];
    follow(file, deltas.emplace_back(open_delta(file)));
    // A base that covers all, covers all.
    for (Coverage& covered : covers_of(file)) {
      if (!exact_.covers.empty() && std::ranges::find(covers_, covered) == covers_.end())
        covers_.push_back(std::move(covered));
    }
  }
  if (!deltas.empty())
    flips_ = file::naming(files.back()->name(),
                          [&] { return FlipTable(deltas, exact_.set->groups().size()); });
}

void check_chain(const file::Container& chain, const ChainState& state) {
  if (decode_chain(chain).state != state.state())
    chain.fail("damaged: its deltas lead to another state");
  if (chain.header().keys != state.members())
    chain.fail("damaged: the header and the last delta disagree on n");
}

std::vector<const file::Container*> pointers(const file::Container& own,
                                             const std::vector<file::Container>& links) {
  if (links.empty()) return {&own};
  std::vector<const file::Container*> files;
  files.reserve(links.size());
  for (const file::Container& link : links) files.push_back(&link);
  return files;
}

file::Container open_layered(const std::filesystem::path& path, file::Kind kind,
                             const OpenOptions& options) {
  file::Container own = options.files != nullptr
                            ? options.files->open()
                            : file::Container::open(path, index::loading_of(options, options.mode));
  const bool is_chain = own.header().kind == file::Kind::chain;
  if (!is_chain && options.trust) return index::open_kind(path, kind, options);
  if (!is_chain) index::require_kind(own, kind);
  if (options.files == nullptr) index::check_reads(own, options);
  return own;
}

}  // namespace crivo::exact
