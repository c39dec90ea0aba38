package io.sluice.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

final class DiskIdentityPropertyTest {
  @Property(tries = 200)
  void readsWhatItHasWritten(
      @ForAll @LongRange(min = 1) long incarnation,
      @ForAll @LongRange(min = 1) long any,
      @ForAll boolean sealed,
      @ForAll long seed) {
    DiskIdentity identity = identity(incarnation, Math.min(any, incarnation), sealed, seed);

    assertThat(DiskIdentity.decode(identity.encode(), "a")).isEqualTo(identity);
  }

  @Property(tries = 500)
  void refusesDamagedBytesByName(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = identity(9, 4, true, seed).encode();
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] ^= (byte) (1 + random.nextInt(255));
    }
    byte[] cut = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));

    assertThat(catchThrowable(() -> DiskIdentity.decode(cut, "a")))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("data directory a");
  }

  private static DiskIdentity identity(long incarnation, long since, boolean sealed, long seed) {
    Random random = new Random(seed);
    UUID disk = new UUID(random.nextLong(), random.nextLong());
    List<UUID> disks = List.of(disk, new UUID(random.nextLong(), random.nextLong()));
    return new DiskIdentity(
        ServerId.of(random.nextLong(), 1), disk, new Life(incarnation, since, sealed), disks);
  }
}
