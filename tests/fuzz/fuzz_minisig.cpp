// SPDX-License-Identifier: Apache-2.0
/// Bytes as FILE.minisig, as a trusted comment, as a file of known sequences: refused, or what was
/// read is read again from what is written of it. Of a signature that does not fit its comment
/// nothing is believed.
#include <cstdlib>
#include <string>
#include <string_view>

#include "crivo/error.hpp"
#include "file/trust/libcrypto.hpp"
#include "file/trust/signature_check.hpp"
#include "file/trust/signature_file.hpp"
#include "fuzz/fuzz_input.hpp"

namespace {

void read_signature(std::string_view text) {
  using namespace crivo;
  const trust::SignatureFile signature = trust::decode_signature(text, "minisig");
  const trust::SignatureFile again = trust::decode_signature(trust::encode(signature), "again");
  if (again.key_id != signature.key_id || again.signature != signature.signature ||
      again.comment != signature.comment ||
      again.comment_signature != signature.comment_signature) {
    std::abort();
  }
  // Any key but a point of small order, which signatures of zeros can fit.
  static const trust::Ed25519Key key = trust::public_key_of({std::byte{1}});
  if (trust::is_signed(trust::signed_comment(signature), signature.comment_signature, key))
    std::abort();
}

void read_comment(std::string_view text) {
  using namespace crivo;
  const auto statement = trust::parse_comment(text, "comment");
  if (statement && trust::parse_comment(trust::comment_of(*statement), "again") != statement)
    std::abort();
}

void read_known(std::string_view text) {
  using namespace crivo;
  const trust::KnownSequences known = trust::decode_known(text, "known");
  if (trust::decode_known(trust::encode(known), "again") != known) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  const fuzz::Input input(data, size);
  const std::string_view text = base::as_text(input.view());
  fuzz::expect_use_or_refusal([&] { read_signature(text); });
  fuzz::expect_use_or_refusal([&] { read_comment(text); });
  fuzz::expect_use_or_refusal([&] { read_known(text); });
  return 0;
}
