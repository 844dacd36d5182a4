// SPDX-License-Identifier: Apache-2.0
/// A published directory on a web server, for crivo::fetch().
#pragma once

#include <memory>
#include <string>

#include "crivo/build/ship.hpp"
#include "http/http_client.hpp"

namespace crivo::http {

/// The files below `url`. Site::read() throws as Client::get() does, and Error(io) where there is
/// no such file. `client` must outlive the site.
std::unique_ptr<Site> site_of(Client& client, std::string url);

}  // namespace crivo::http
