// SPDX-License-Identifier: Apache-2.0
/// Opening the files that a chain names, and what signatures say of them where an opener names whom
/// to trust.
///
/// The signature of a chain, where one lies beside it, is of all its files, as the chain names
/// their digests. Without one each file must be signed. How new a chain is says its signature, or
/// else that of its last file: those of the others were of what has been added to since.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crivo/open.hpp"
#include "file/container.hpp"
#include "file/trust/signature_check.hpp"

namespace crivo::exact {

struct Chain;

class ChainOpener {
 public:
  /// Whose age matters: that of the chain, or of a longer one that is made of it.
  enum class Age { checked, of_another };

  explicit ChainOpener(OpenOptions options, Age age = Age::checked)
      : options_(std::move(options)), age_(age) {}
  ChainOpener(const ChainOpener&) = delete;
  ChainOpener& operator=(const ChainOpener&) = delete;

  /// The files of a chain that is open, which must have been opened by its path. The base, an exact
  /// set or a filter, is first. Throws Error(corrupt) for a file that is missing, or another than
  /// the chain names, and for a signature that is missing or wrong; Error(usage) for the bytes of a
  /// chain.
  std::vector<file::Container> open(const file::Container& chain);

  /// Keeps the sequence in the state, if the caller has one: when the files were found to follow
  /// each other, so that none that does not belong here has its sequence kept.
  void note_seen() const {
    if (newest_) newest_->note_seen();
  }
  /// Returns the signature of the chain, or of its last file; the chain was opened with a trust.
  Signature signature() const { return newest_->signature(); }

 private:
  void check_own(const file::Container& chain);
  file::Container open_link(const file::Container& chain, const Chain& table, std::size_t number);
  std::vector<std::string> names_of(const file::Container& chain, const Chain& table) const;

  OpenOptions options_;
  Age age_;
  std::optional<trust::SignatureCheck> newest_;
  bool is_signed_ = false;  ///< the chain itself
};

/// The path of a file of a chain. Throws Error(corrupt) where there is none; Error(usage) where the
/// chain has no path.
std::filesystem::path path_of(const file::Container& chain, const std::string& link);

/// The names by which the sequence of a chain that has no signature is kept: its own, and that of
/// its base, whichever chain it is that stands before it.
std::vector<std::string> chain_names(const std::filesystem::path& chain,
                                     const std::filesystem::path& base);

/// The same files where nobody need have signed them.
std::vector<file::Container> open_links(const file::Container& chain);

/// The same of a file that may be no chain, and then has none. Throws Error(usage) unless the file,
/// or the base, is of the kind.
std::vector<file::Container> links_of(const file::Container& own, file::Kind kind,
                                      ChainOpener& opener);
std::vector<file::Container> links_of(const file::Container& own, file::Kind kind);

/// Throws Error(usage) for a chain with a file that has neither a hash tree nor a signature: that
/// of the chain would not cover it.
void refuse_uncovered(const file::Container& chain);

}  // namespace crivo::exact
