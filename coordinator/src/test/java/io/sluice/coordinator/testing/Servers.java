package io.sluice.coordinator.testing;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import io.sluice.coordinator.membership.DiskLoad;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerTraits;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Made-up servers. */
public final class Servers {
  private static final long USED = 1 << 20;

  private Servers() {}

  public static ServerId id(long number) {
    return ServerId.of(7, number);
  }

  public static ServerAddress address(long number, long incarnation) {
    return new ServerAddress(id(number), incarnation, incarnation, "host-" + number, 9000, 9002);
  }

  public static ServerHello hello(long number, long incarnation, ApplicationId... applications) {
    return new ServerHello(address(number, incarnation), "test", List.of(applications), "", false);
  }

  /** A server that stands somewhere, and has something. */
  public static ServerHello standing(long number, String zone, String rack, String... tags) {
    return new ServerHello(
        address(number, 1),
        "test",
        List.of(),
        "",
        false,
        false,
        new ServerTraits(new Place(zone, rack), Set.of(tags)));
  }

  /** A server that speaks no gRPC, and has something. */
  public static ServerHello withoutGrpc(long number, String... tags) {
    return new ServerHello(
        new ServerAddress(id(number), 1, 1, "host-" + number, 9000, 0),
        "test",
        List.of(),
        "",
        false,
        false,
        new ServerTraits(new Place("", ""), Set.of(tags)));
  }

  /** A server that wants to know whose applications are. */
  public static ServerHello curious(long number, long incarnation) {
    return new ServerHello(address(number, incarnation), "test", List.of(), "", true);
  }

  /** A life that says that it has everything since an earlier one. */
  public static ServerHello intact(long number, long incarnation, long since) {
    return new ServerHello(
        new ServerAddress(id(number), incarnation, since, "host-" + number, 9000, 9002),
        "test",
        List.of(),
        "",
        false);
  }

  /** Of a server with so much free memory that has no disks and holds nothing. */
  public static ServerReport report(long free) {
    return report(free, Intent.SERVE);
  }

  public static ServerReport report(long free, Intent intent) {
    return new ServerReport(free(free), intent);
  }

  /** A server with so much free memory, and disks of 1 TiB that are empty. */
  public static ServerLoad withDisks(long freeMemory, boolean... healthy) {
    ServerLoad free = free(freeMemory);
    List<DiskLoad> disks = new ArrayList<>();
    for (boolean works : healthy) {
      disks.add(new DiskLoad("/disk-" + disks.size(), 1L << 40, 1L << 40, works));
    }
    return new ServerLoad(free.memory(), disks, free.traffic());
  }

  /** A server with so much free memory and no disks. */
  public static ServerLoad free(long bytes) {
    return new ServerLoad(
        new ServerLoad.Memory(USED + bytes, USED),
        List.of(),
        new ServerLoad.Traffic(0, 0, 0, 0, 0));
  }
}
