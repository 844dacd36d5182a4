// SPDX-License-Identifier: Apache-2.0
#include "build/chain_output.hpp"

#include <system_error>

#include "file/manifest.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "file/trust/signature_check.hpp"
#include "lookup/chain_file.hpp"

namespace crivo::exact {
namespace {

using Path = std::filesystem::path;

/// The name of a file below the folder of a chain. Throws Error(usage) for one that lies elsewhere.
std::string link_name(const Path& folder, const Path& file) {
  const Path resolved =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file).parent_path()) /
      file.filename();
  const Path root = std::filesystem::weakly_canonical(std::filesystem::absolute(folder));
  std::string name = resolved.lexically_relative(root).generic_string();
  if (!file::is_part_name(name)) {
    throw Error(ErrorKind::usage, file.string() +
                                      ": is not in the folder of the chain, which names its files "
                                      "by their paths below it");
  }
  return name;
}

/// Warns of a signature beside the output, which is of what was there before.
void warn_of_signature(const Path& output, std::vector<Warning>& warnings) {
  const Path signature = trust::signature_path(output);
  std::error_code ignored;
  if (!std::filesystem::exists(signature, ignored)) return;
  warnings.push_back({signature.string() +
                      ": signs the old chain, so readers with a public key will refuse the new "
                      "one; sign the chain again, or remove the signature"});
}

}  // namespace

ChainOutput::ChainOutput(const Path& before, const Path& chain, bool replace, Progress* progress)
    : before_(before), target_(file::OutputTarget::file(chain, file::IfExists::replace)) {
  const bool is_same = target_.is_among({before.string()});
  if (!is_same && !replace) target_ = file::OutputTarget::file(chain, file::IfExists::refuse);
  target_.set_progress(progress);
  if (is_same) lock_.emplace(target_);
}

Path ChainOutput::folder() const {
  const Path folder = place().parent_path();
  return folder.empty() ? Path(".") : folder;
}

std::uint64_t ChainOutput::publish(const NewChain& chain, std::vector<Warning>& warnings) {
  Chain links{.state = chain.state};
  std::uint64_t bytes = 0;
  for (const file::Container* const file : chain.files) {
    links.links.push_back({link_name(folder(), file->path()), file->digest(), file->bytes()});
    bytes += file->bytes();
  }
  file::PendingFile pending(target_);
  file::ContainerWriter writer(pending);
  writer.begin_section(file::kLinkSection).append(encode_chain(links));
  if (!chain.removed.empty())
    writer.begin_section(file::kRemovedNamesSection).append(chain.removed);
  file::Header header;
  header.kind = file::Kind::chain;
  header.seed = chain.files.front()->header().seed;
  header.key_hash = chain.files.front()->header().key_hash;
  header.keys = chain.keys;
  bytes += writer.finish(header, chain.metadata).bytes;
  warn_of_signature(path(), warnings);
  file::add_warnings(warnings, lock_ ? pending.publish(*lock_) : pending.publish());
  return bytes;
}

}  // namespace crivo::exact
