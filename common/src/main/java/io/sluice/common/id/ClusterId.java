package io.sluice.common.id;

import java.util.UUID;

/** A cluster: a UUID that its first leader drew, kept with what coordinators keep. */
public final class ClusterId {
  private final UUID value;

  public ClusterId(UUID value) {
    this.value = value;
  }

  public static ClusterId of(long high, long low) {
    return new ClusterId(new UUID(high, low));
  }

  public long high() {
    return value.getMostSignificantBits();
  }

  public long low() {
    return value.getLeastSignificantBits();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterId && ((ClusterId) other).value.equals(value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
