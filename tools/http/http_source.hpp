// SPDX-License-Identifier: Apache-2.0
/// A file on a web server, for crivo::Remote.
#pragma once

#include <memory>
#include <string>

#include "crivo/remote.hpp"
#include "http/http_client.hpp"

namespace crivo::http {

/// Returns the URL of a file beside the one at `url`, by its name, which may have any bytes.
std::string url_beside(const std::string& url, const std::string& name);

/// Reads ranges of `url`, and with_signature the text of URL.minisig at the same time as the ends.
/// ByteSource's functions throw as Client::get() does, and Error(io) where the server sends other
/// ranges than it was asked for, or another version of the file than at first. Error(corrupt) where
/// there is no signature. `client` must outlive the source.
std::unique_ptr<ByteSource> source_of(Client& client, std::string url, bool with_signature);

}  // namespace crivo::http
