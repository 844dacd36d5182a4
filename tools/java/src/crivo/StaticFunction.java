// SPDX-License-Identifier: Apache-2.0
package crivo;

/** A section that gives every hash a value. */
interface StaticFunction {
  long keys();

  long value(long hi, long lo);
}
