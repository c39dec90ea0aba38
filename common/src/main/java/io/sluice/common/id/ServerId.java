package io.sluice.common.id;

import java.util.UUID;

/** A shuffle server: a UUID stored on its disks, never its name or address. */
public final class ServerId {
  private final UUID value;

  public ServerId(UUID value) {
    this.value = value;
  }

  public static ServerId of(long high, long low) {
    return new ServerId(new UUID(high, low));
  }

  public long high() {
    return value.getMostSignificantBits();
  }

  public long low() {
    return value.getLeastSignificantBits();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ServerId && ((ServerId) other).value.equals(value);
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
