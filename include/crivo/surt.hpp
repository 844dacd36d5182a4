// SPDX-License-Identifier: Apache-2.0
/// Forms of keys in which those that mean the same are the same.
#pragma once

#include <string>
#include <string_view>

#include "crivo/export.hpp"

namespace crivo::keys {

/// A URL in the order of its host's parts, from the last, as indexes of web archives have it
/// ("Sort- friendly URI Reordering Transform"): http://www.Example.com:80/A?b=2&a=1#c is
/// com,example)/a?a=1&b=2. Without a scheme, user, port that is the scheme's own, leading "www"
/// with digits behind it, and fragment; in lower case (of ASCII); with the parts of the query in
/// byte order, and no slash at the end of a path but "/". An address in digits or brackets is not
/// turned around. What has no host (dns:example.com) stays as it is; example.com/ is read as a URL
/// of http. Percent signs and session ids stay. O(url log(url)).
CRIVO_API std::string surt(std::string_view url);

}  // namespace crivo::keys
