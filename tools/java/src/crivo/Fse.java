// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** A decoding table of zstd's finite state entropy: RFC 8878, section 4.1. */
final class Fse {
  private static final int LEAST_LOG = 5;

  private final int log; // of the number of states
  private final int[] symbols; // of a state
  private final int[] bits; // to read for the next state
  private final int[] bases; // that they are added to

  /** Of symbols that have so many of 2^log states; -1: fewer than one. */
  Fse(int[] counts, int log) throws RefusedException {
    this.log = log;
    int states = 1 << log;
    symbols = new int[states];
    bits = new int[states];
    bases = new int[states];
    int[] next = new int[counts.length];
    int high = states;
    for (int symbol = 0; symbol < counts.length; ++symbol) {
      next[symbol] = Math.abs(counts[symbol]);
      if (counts[symbol] == -1) {
        symbols[--high] = symbol;
      }
    }
    int place = 0;
    for (int symbol = 0; symbol < counts.length; ++symbol) {
      for (int i = 0; i < counts[symbol]; ++i) {
        symbols[place] = symbol;
        do {
          place = place + (states >> 1) + (states >> 3) + 3 & states - 1;
        } while (place >= high);
      }
    }
    need(place == 0, "a table of states");
    for (int state = 0; state < states; ++state) {
      int number = next[symbols[state]]++;
      bits[state] = log - (31 - Integer.numberOfLeadingZeros(number));
      bases[state] = (number << bits[state]) - states;
    }
  }

  private Fse(int symbol) {
    log = 0;
    symbols = new int[] {symbol};
    bits = new int[1];
    bases = new int[1];
  }

  /** One symbol, always. */
  static Fse of(int symbol) {
    return new Fse(symbol);
  }

  /** Reads the description of one of at most 2^mostLog states and so many symbols; it ends with a byte. */
  static Fse read(ForwardBits in, int mostLog, int symbols) throws RefusedException {
    int log = in.read(4) + LEAST_LOG;
    need(log <= mostLog, "the states of a table");
    int[] counts = new int[symbols];
    int left = 1 << log;
    int symbol = 0;
    while (left > 0) {
      need(symbol < symbols, "the symbols of a table");
      int width = 32 - Integer.numberOfLeadingZeros(left + 1);
      int value = in.read(width);
      int low = (1 << width - 1) - 1;
      int short_ = (1 << width) - 1 - (left + 1);
      if ((value & low) < short_) {
        in.back(1);
        value &= low;
      } else if (value > low) {
        value -= short_;
      }
      counts[symbol++] = value - 1;
      left -= Math.abs(value - 1);
      for (int more = value == 1 ? 3 : 0; more == 3; symbol += more) {
        more = in.read(2);
      }
    }
    need(left == 0 && symbol <= symbols, "the symbols of a table");
    in.skipTo(in.at());
    return new Fse(counts, log);
  }

  /** Where a decoder is in its table. */
  static final class State {
    private final Fse table;
    private int state;

    State(Fse table, BackwardBits in) {
      this.table = table;
      state = in.read(table.log);
    }

    int symbol() {
      return table.symbols[state];
    }

    void next(BackwardBits in) {
      state = table.bases[state] + in.read(table.bits[state]);
    }
  }
}
