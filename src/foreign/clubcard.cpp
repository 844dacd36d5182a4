// SPDX-License-Identifier: Apache-2.0
/// Clubcards as they are looked up: by themselves, and by the index of a directory.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "crivo/foreign.hpp"
#include "crivo/inspect.hpp"
#include "file/content_id.hpp"
#include "file/mapped_file.hpp"
#include "foreign/clubcard_file.hpp"
#include "foreign/clubcard_key.hpp"
#include "foreign/formats.hpp"
#include "lookup/queries.hpp"

namespace crivo::foreign {
namespace {

/// A clubcard in a mapped file.
struct MappedClubcard {
  MappedClubcard(const std::filesystem::path& path, const OpenOptions& options)
      : bytes(path, file::loading(options.mode)), file(bytes.bytes(), path.string()) {}

  file::MappedFile bytes;
  ClubcardFile file;
};

ExactAnswer answer_in(const ClubcardFile& file, base::ByteView issuer, std::string_view serial) {
  const ClubcardIssuer* const known = file.find(issuer);
  if (known == nullptr) return ExactAnswer::outside;
  return file.contains(*known, serial) ? ExactAnswer::member : ExactAnswer::other;
}

/// An issuer and a serial number, as queries name them.
struct Certificate {
  base::Bytes issuer;
  std::string serial;
};

/// Reads a line of two columns in hexadecimal digits. Throws Error(bad_input).
Certificate certificate_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  Certificate made;
  base::Bytes serial;
  const bool fits = tab != std::string_view::npos && append_hex(line.substr(0, tab), made.issuer) &&
                    append_hex(line.substr(tab + 1), serial) && made.issuer.size() == kIssuerBytes;
  if (!fits) {
    throw Error(ErrorKind::bad_input,
                "not an issuer of 64 hexadecimal digits, a TAB and a serial number in them: " +
                    quote(line));
  }
  made.serial = base::as_text(serial);
  return made;
}

/// One clubcard or some, asked as an exact set with groups.
class OpenedClubcards : public OpenIndex {
 public:
  OpenedClubcards(const std::filesystem::path& path, std::string_view algorithm)
      : OpenIndex(path.string(), "exact"), algorithm_(algorithm) {}

  /// Neither a clubcard nor its index tells.
  std::uint64_t size() const noexcept final { return 0; }
  FileInfo info() const override {
    FileInfo info;
    info.kind = "exact";
    info.algorithm = algorithm_;
    info.algorithm_name = "format";
    info.hash = "sha256";
    return info;
  }
  /// They were read when they were opened.
  void verify(const Resources&) const final {}

  void answer(const Key& key, const Visit& visit) final { tell(key.text(), visit); }
  void answer(std::span<const std::string_view> keys, const Visit& visit) final {
    for (const std::string_view key : keys) tell(key, visit);
  }
  void query(std::string_view name, std::span<const std::string> values, const Visit&) final {
    if (name != index::kExactQueries[0].name) return OpenIndex::query(name, values, {});
    epoch_ = parse_epoch(values[0]);
  }

 protected:
  /// A time that a log told.
  struct Epoch {
    std::array<std::byte, kLogBytes> log;
    std::uint64_t time;
  };
  /// Tells what is known of a certificate, which a log dated so, if one is named.
  virtual ExactAnswer find(const Certificate& asked, const Epoch* epoch) const = 0;

  /// The answer of one clubcard.
  static ExactAnswer find_in(const ClubcardFile& file, const Certificate& asked,
                             const Epoch* epoch) {
    if (epoch != nullptr && !file.covers(epoch->log, epoch->time)) return ExactAnswer::outside;
    return answer_in(file, asked.issuer, asked.serial);
  }
  static void add(FileInfo& info, const std::string& name, std::uint64_t value) {
    info.rows.push_back({name, value, name, std::to_string(value)});
  }

 private:
  static Epoch parse_epoch(const std::string& text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto log = bytes_of_hex<kLogBytes>(std::string_view(text).substr(0, equals));
    const auto time = base::number_in<std::uint64_t>(
        std::string_view(text).substr(std::min(equals + 1, text.size())));
    if (!log || !time)
      base::refuse_option("at", "'" + text + "' is not the 64 hexadecimal digits of a log, = and " +
                                    "a time in milliseconds");
    return {*log, *time};
  }
  void tell(std::string_view line, const Visit& visit) const {
    const ExactAnswer answer = find(certificate_of(line), epoch_ ? &*epoch_ : nullptr);
    visit(line, {.found = answer == ExactAnswer::member, .text = name_of(answer)});
  }

  std::string_view algorithm_;
  std::optional<Epoch> epoch_;
};

class OpenedClubcard final : public OpenedClubcards {
 public:
  OpenedClubcard(const std::filesystem::path& path, const OpenOptions& options)
      : OpenedClubcards(path, "clubcard"), clubcard_(path, options) {}

  FileInfo info() const override {
    FileInfo info = OpenedClubcards::info();
    const ClubcardFile& file = clubcard_.file;
    info.bytes = clubcard_.bytes.bytes().size();
    info.format_version = "4";
    add(info, "issuers", file.issuers().size());
    add(info, "columns", file.approx().size());
    std::string covers;
    for (const ClubcardCoverage& each : file.coverage()) {
      covers += (covers.empty() ? "" : ",") + file::to_hex(each.log) + "=" +
                std::to_string(each.low) + ":" + std::to_string(each.high);
    }
    info.rows.push_back({"covers", covers, "covers", covers});
    return info;
  }

 protected:
  ExactAnswer find(const Certificate& asked, const Epoch* epoch) const override {
    return find_in(clubcard_.file, asked, epoch);
  }

 private:
  MappedClubcard clubcard_;
};

/// All clubcards of a directory, as its index names them.
class OpenedClubcardIndex final : public OpenedClubcards {
 public:
  OpenedClubcardIndex(const std::filesystem::path& path, const OpenOptions& options)
      : OpenedClubcards(path, "clubcard-index") {
    const file::MappedFile bytes(path, file::Loading::copy);
    bytes_ = bytes.bytes().size();
    index_ = read_clubcard_index(bytes.bytes(), path.string());
    clubcards_.reserve(index_.names.size());
    for (const std::string& name : index_.names)
      clubcards_.emplace_back(path.parent_path() / name, options);
  }

  FileInfo info() const override {
    FileInfo info = OpenedClubcards::info();
    info.bytes = bytes_;
    info.format_version = "1";
    std::string names;
    for (const std::string& name : index_.names) names += (names.empty() ? "" : ",") + name;
    info.rows.push_back({"clubcards", names, "clubcards", names});
    return info;
  }

 protected:
  /// A member, if one of the clubcards says so; outside, if none knows its issuer.
  ExactAnswer find(const Certificate& asked, const Epoch* epoch) const override {
    ExactAnswer said = ExactAnswer::outside;
    for (std::size_t i = 0; i < clubcards_.size(); ++i) {
      if (epoch != nullptr && !covers(i, *epoch)) continue;
      const ExactAnswer own = find_in(clubcards_[i].file, asked, epoch);
      if (own == ExactAnswer::member) return own;
      if (own == ExactAnswer::other) said = own;
    }
    return said;
  }

 private:
  bool covers(std::size_t clubcard, const Epoch& epoch) const noexcept {
    return std::ranges::any_of(index_.entries, [&](const ClubcardIndex::Entry& each) {
      return each.clubcard == clubcard && each.coverage.log == epoch.log &&
             each.coverage.low <= epoch.time && epoch.time <= each.coverage.high;
    });
  }

  std::uint64_t bytes_ = 0;
  ClubcardIndex index_;
  std::vector<MappedClubcard> clubcards_;
};

}  // namespace

std::unique_ptr<OpenIndex> open_clubcard(const std::filesystem::path& path,
                                         const OpenOptions& options) {
  return std::make_unique<OpenedClubcard>(path, options);
}
std::unique_ptr<OpenIndex> open_clubcard_index(const std::filesystem::path& path,
                                               const OpenOptions& options) {
  return std::make_unique<OpenedClubcardIndex>(path, options);
}

struct Clubcard::Impl : MappedClubcard {
  using MappedClubcard::MappedClubcard;
};

Clubcard::Clubcard(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Clubcard::~Clubcard() = default;
Clubcard::Clubcard(Clubcard&&) noexcept = default;
Clubcard& Clubcard::operator=(Clubcard&&) noexcept = default;

Clubcard Clubcard::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Clubcard(std::make_unique<const Impl>(path, options));
} catch (...) {
  base::rethrow_as_error();
}

std::size_t Clubcard::issuers() const noexcept {
  return impl_->file.issuers().size();
}

ExactAnswer Clubcard::contains(std::span<const std::byte> issuer, std::string_view serial) const {
  return answer_in(impl_->file, issuer, serial);
}

bool Clubcard::covers(std::span<const std::byte> log, std::uint64_t time) const noexcept {
  return impl_->file.covers(log, time);
}

}  // namespace crivo::foreign
