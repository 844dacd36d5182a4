// SPDX-License-Identifier: Apache-2.0
/// Signing as minisign does.
#pragma once

#include "file/trust/signature_file.hpp"
#include "file/trust/statement.hpp"
#include "ship/secret_key.hpp"

namespace crivo::trust {

/// Signs the BLAKE2b-512 of a file, and then that signature with what is stated of the file.
SignatureFile make_signature(base::ByteView hash, const Statement& statement, const SecretKey& key);

}  // namespace crivo::trust
