package io.sluice.common.id;

import java.util.UUID;

/**
 * An application: a UUID minted per driver start, because engines reuse their own ids across
 * restarts.
 */
public final class ApplicationId {
  private final UUID value;

  public ApplicationId(UUID value) {
    this.value = value;
  }

  public static ApplicationId of(long high, long low) {
    return new ApplicationId(new UUID(high, low));
  }

  public long high() {
    return value.getMostSignificantBits();
  }

  public long low() {
    return value.getLeastSignificantBits();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ApplicationId && ((ApplicationId) other).value.equals(value);
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
