// SPDX-License-Identifier: Apache-2.0
#include "ship/make_signature.hpp"

namespace crivo::trust {

SignatureFile make_signature(base::ByteView hash, const Statement& statement,
                             const SecretKey& key) {
  SignatureFile signature{
      .key_id = key.id, .signature = sign(hash, key.seed), .comment = comment_of(statement)};
  signature.comment_signature = sign(signed_comment(signature), key.seed);
  return signature;
}

}  // namespace crivo::trust
