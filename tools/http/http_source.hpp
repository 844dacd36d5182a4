// SPDX-License-Identifier: Apache-2.0
/// A file on a web server, for crivo::Remote.
#pragma once

#include <memory>
#include <string>

#include "crivo/remote.hpp"
#include "http/http_client.hpp"

namespace crivo::http {

/// Reads ranges of `url`, and with_signature the text of URL.minisig at the same time as the ends.
/// ByteSource's functions throw as Client::get() does, and Error(io) where the server has no file,
/// sends other ranges than it was asked for, or another version of the file than at first.
/// Error(corrupt) where there is no signature. `client` must outlive the source.
std::unique_ptr<ByteSource> source_of(Client& client, std::string url, bool with_signature);

}  // namespace crivo::http
