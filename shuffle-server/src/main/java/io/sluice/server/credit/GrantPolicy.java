package io.sluice.server.credit;

import io.sluice.common.error.ErrorCode;

/** What the broker has to know of applications. Thread-safe; answers at once. */
public interface GrantPolicy {
  /** All applications alike, and nothing but memory is ever missing. */
  GrantPolicy EVEN =
      new GrantPolicy() {
        @Override
        public double weight(Object application) {
          return 1;
        }

        @Override
        public ErrorCode shortage(Object application) {
          return ErrorCode.NO_MEMORY;
        }
      };

  /**
   * How much an application is granted beside others while memory is short: with twice the weight,
   * twice the bytes. Called with the broker's lock held, so it takes none.
   *
   * @param application its id, or whatever stands for a connection that has not named one
   * @return above 0
   */
  double weight(Object application);

  /** Why nothing was granted to an application for so long: what its WANT is answered with. */
  ErrorCode shortage(Object application);
}
