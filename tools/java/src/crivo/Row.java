// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.OptionalLong;

/** Where a key is: the name of a file, which row group of that (where these are known), and which row; both from 0. */
public record Row(byte[] file, OptionalLong group, long row) {}
