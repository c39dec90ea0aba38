package io.sluice.server.cache;

/**
 * Where bytes lie and what lies around them, all offsets in the file.
 *
 * @param position first byte wanted
 * @param wantedEnd up to where the same reader will want bytes soon: the end of its extent, or of
 *     the part that it wants
 * @param unitStart aligned
 * @param unitEnd aligned; nothing beyond is read for this range
 * @param whole whether it is of somebody who wants all of an extent; what lies around the rest is
 *     others' part of the same one
 */
public record ReadRange(
    long position, long wantedEnd, long unitStart, long unitEnd, boolean whole) {
  public ReadRange {
    if (position < unitStart || wantedEnd > unitEnd) {
      throw new IllegalArgumentException(
          "bytes " + position + " to " + wantedEnd + " of unit " + unitStart + " to " + unitEnd);
    }
  }
}
