package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.junit.jupiter.api.Test;

/**
 * Servers 0 and 1 were killed and are back: maps 0 and 1 have blocks at server 0, maps 2 and 3 at
 * server 1, map 4 at server 2, which was there all the time.
 */
class VerdictTest {
  private final SteppedScheduler scheduler = new SteppedScheduler();
  private final ServerBook servers = new ServerBook(scheduler.clock());
  private final Map<PlacedServer, CompletableFuture<StoredMaps>> onDisk = new HashMap<>();
  private final Salvage salvage =
      new Salvage(
          servers,
          (server, shuffle) -> onDisk.computeIfAbsent(server, key -> new CompletableFuture<>()),
          scheduler);
  private final FixedPlacement placement =
      FixedPlacement.of(
          new ShuffleKey(ApplicationId.of(1, 1), 0, 0),
          3,
          List.of(server(0), server(1), server(2)),
          1,
          new int[] {0, 1, 2});

  @Test
  void saysWhatBecomesOfTheOutputsAndNotHowManyAttemptsAServerTellsOf() {
    servers.snapshot(List.of(back(0), back(1), status(2, State.ACTIVE)));
    assertThat(verdict().lost()).isEmpty();
    assertThat(verdict())
        .asString()
        .contains("of 4 map outputs", " 0 are unregistered", " 0 are kept", "of 4 it is not known");

    StoredMaps.Builder zero = new StoredMaps.Builder();
    zero.add(0, 99, 1);
    zero.add(0, 100, 1);
    zero.add(1, 98, 1);
    tell(0, zero.build());
    assertThat(verdict().lost()).containsExactly(MapLocation.of(0, 1, 101, 0, 0));
    assertThat(verdict())
        .asString()
        .contains("of 4 map outputs", " 1 are unregistered", " 1 are kept", "of 2 it is not known");

    tell(1, StoredMaps.NONE);
    assertThat(verdict())
        .asString()
        .contains("of 4 map outputs", " 3 are unregistered", " 1 are kept", "of 0 it is not known");
  }

  private void tell(int server, StoredMaps maps) {
    assertThat(Objects.requireNonNull(onDisk.get(back(server).server())).complete(maps)).isTrue();
  }

  private Verdict verdict() {
    return Verdict.of(placement, outputs(), servers, salvage, () -> {});
  }

  private static MapStatus[] outputs() {
    return new MapStatus[] {
      output(0, 5, 0, 0),
      output(1, 5, 0, 0),
      output(2, 0, 5, 0),
      output(3, 0, 5, 0),
      output(4, 0, 0, 5)
    };
  }

  private static MapStatus output(int map, long... sizes) {
    return MapStatus$.MODULE$.apply(MapLocation.of(0, map, 100 + map, 0, 0), sizes, 100 + map);
  }

  private static ServerStatus back(int number) {
    PlacedServer first = server(number);
    PlacedServer second = new PlacedServer(first.id(), 2, first.host(), first.port());
    return new ServerStatus(second, State.ACTIVE, 2, 1, 1);
  }
}
