package io.sluice.server.segment;

import java.util.Objects;

/**
 * What one reader wants of an extent: all of it, or what holds a range of maps. Immutable.
 *
 * @param start offset from the extent's first byte
 * @param end offset, exclusive
 */
public record ExtentPart(Extent extent, int start, int end) {
  public ExtentPart {
    Objects.checkFromToIndex(start, end, extent.length());
  }

  /** All of an extent. */
  public static ExtentPart all(Extent extent) {
    return new ExtentPart(extent, 0, extent.length());
  }

  public int length() {
    return end - start;
  }

  public boolean isWhole() {
    return length() == extent.length();
  }
}
