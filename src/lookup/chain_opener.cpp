// SPDX-License-Identifier: Apache-2.0
#include "lookup/chain_opener.hpp"

#include <system_error>

#include "crivo/error.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/opened.hpp"
#include "lookup/remote_files.hpp"

namespace crivo::exact {
namespace {

bool has_signature(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::status(trust::signature_path(file), ignored).type() !=
         std::filesystem::file_type::not_found;
}

file::Kind kind_of_link(const std::filesystem::path& path, std::size_t number) {
  const file::Kind base = base_kind(file::Container::open(path, file::Loading::mapped));
  return number == 0 || file::has_layers(base) ? base : file::Kind::delta;
}

void require_link(const file::Container& chain, const Chain::Link& link,
                  const file::Container& file) {
  if (file.digest() == link.root && file.bytes() == link.bytes) return;
  chain.fail("its file " + link.name + " is another one: its digest is " +
             file::to_hex(file.digest()) + ", not " + file::to_hex(link.root));
}

}  // namespace

std::filesystem::path path_of(const file::Container& chain, const std::string& link) {
  if (chain.path().empty())
    throw Error(ErrorKind::usage,
                chain.name() + ": a chain needs its files beside it; open it by its path");
  std::filesystem::path path = chain.path().parent_path() / link;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) chain.fail("its file " + link + " is not there");
  return path;
}

std::vector<std::string> chain_names(const std::filesystem::path& chain,
                                     const std::filesystem::path& base) {
  return {index::signed_name(chain), index::signed_name(base)};
}

void ChainOpener::check_own(const file::Container& chain) {
  is_signed_ = has_signature(chain.path());
  if (!is_signed_) return;
  std::vector<std::string> names;
  if (age_ == Age::checked) names.push_back(index::signed_name(chain.path()));
  newest_.emplace(chain.path(), std::move(names), *options_.trust);
  index::check_every_byte(*newest_, chain);
}

/// Under which the sequence of the last file is kept.
std::vector<std::string> ChainOpener::names_of(const file::Container& chain,
                                               const Chain& table) const {
  if (is_signed_ || age_ == Age::of_another) return {};
  return chain_names(chain.path(), table.links.front().name);
}

file::Container ChainOpener::open_link(const file::Container& chain, const Chain& table,
                                       std::size_t number) {
  const Chain::Link& link = table.links[number];
  if (options_.files != nullptr) {
    file::Container file = options_.files->open_sibling(link.name);
    require_link(chain, link, file);
    if (number != 0 && !file::has_layers(file.header().kind))
      index::require_kind(file, file::Kind::delta);
    return file;
  }
  const std::filesystem::path path = path_of(chain, link.name);
  const file::Kind kind = kind_of_link(path, number);
  const file::Loading loading = index::loading_of(options_, options_.mode);
  if (options_.trust && (!is_signed_ || has_signature(path))) {
    const bool is_last = number + 1 == table.links.size();
    const trust::SignatureCheck check(
        path, is_last ? names_of(chain, table) : std::vector<std::string>{}, *options_.trust);
    file::Container file = index::open_kind(path, kind, loading, check);
    require_link(chain, link, file);
    if (is_last && !is_signed_) newest_.emplace(check);
    return file;
  }
  file::Container file = index::open_kind(path, kind, loading);
  require_link(chain, link, file);
  if (!options_.trust) {
    index::check_reads(file, options_);
    return file;
  }
  if (file.hash_tree() == file::HashTree::none)
    file.fail("has no hash tree, so that the signature of " + chain.name() + " does not cover it");
  index::verify_on_all_cores(file);
  return file;
}

std::vector<file::Container> ChainOpener::open(const file::Container& chain) {
  if (options_.trust && !chain.path().empty()) check_own(chain);
  const Chain table = decode_chain(chain);
  std::vector<file::Container> files;
  files.reserve(table.links.size());
  for (std::size_t i = 0; i < table.links.size(); ++i) files.push_back(open_link(chain, table, i));
  return files;
}

std::vector<file::Container> open_links(const file::Container& chain) {
  return ChainOpener(OpenOptions{}).open(chain);
}

std::vector<file::Container> links_of(const file::Container& own, file::Kind kind,
                                      ChainOpener& opener) {
  if (own.header().kind != file::Kind::chain) {
    index::require_kind(own, kind);
    return {};
  }
  std::vector<file::Container> links = opener.open(own);
  index::require_kind(links.front(), kind);
  return links;
}

std::vector<file::Container> links_of(const file::Container& own, file::Kind kind) {
  ChainOpener opener{OpenOptions{}};
  return links_of(own, kind, opener);
}

void refuse_uncovered(const file::Container& chain) {
  for (const file::Container& file : open_links(chain)) {
    if (file.hash_tree() != file::HashTree::none || has_signature(file.path())) continue;
    throw Error(ErrorKind::usage, file.name() +
                                      ": has no hash tree, so that no signature of the chain "
                                      "covers it; build it without no_tree, or sign it first");
  }
}

}  // namespace crivo::exact

namespace crivo::index {

std::unique_ptr<OpenIndex> open_chain(const std::filesystem::path& path,
                                      const OpenOptions& options) {
  const auto chain = file::Container::open(path, file::Loading::mapped);
  switch (exact::base_kind(chain)) {
    case file::Kind::filter:
      return open_filter(path, options);
    case file::Kind::rows:
      return open_rows(path, options);
    case file::Kind::filter_set:
      return open_filter_set(path, options);
    default:
      return open_exact(path, options);
  }
}

}  // namespace crivo::index
