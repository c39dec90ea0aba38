package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A driver and a task process with Spark's RPC between them. */
class ProspectsEndpointTest {
  private static final PlacementSource NO_PLACEMENTS =
      (shuffle, epochs, complaints) ->
          CompletableFuture.failedFuture(
              new SluiceException(ErrorCode.NO_SERVERS, "none, says the test"));

  private final RpcPair rpc = new RpcPair(new SparkConf(false));
  private final ServerBook book = new ServerBook(Clock.system());
  private final RpcEndpointRef endpoint = ProspectsEndpoint.listen(rpc.driver, book);
  private final Placements placements =
      Placements.from(ProspectsEndpoint.connect(rpc.conf, rpc.executor, NO_PLACEMENTS));

  @AfterEach
  void stop() {
    rpc.close();
  }

  @Test
  void saysWhatTheDriverHasHeard() throws Exception {
    assertThat(ask(2)).as("before anything was heard").isEqualTo(Prospect.UNKNOWN);

    book.snapshot(List.of(status(State.RESTARTING, 2)));
    assertThat(ask(2)).isEqualTo(Prospect.RETURNS);
    assertThat(ask(1)).as("an earlier life").isEqualTo(Prospect.UNKNOWN);

    book.changed(status(State.SUSPECT, 1));
    assertThat(ask(1)).as("a life that it was intact since").isEqualTo(Prospect.RETURNS);

    book.changed(status(State.LOST, 2));
    assertThat(ask(2)).isEqualTo(Prospect.LOST);

    rpc.driver.stop(endpoint);
    assertThat(ask(2)).as("of a driver that does not answer").isEqualTo(Prospect.UNKNOWN);
  }

  @Test
  void saysWhereTheServerIsNow() throws Exception {
    PlacedServer now = new PlacedServer(ServerId.of(1, 1), 3, "elsewhere", 7401, 7402);
    book.snapshot(List.of(new ServerStatus(now, State.ACTIVE, 2, 0, 1)));

    assertThat(whereabouts(2).now()).as("both ports and the life").contains(now);
    assertThat(whereabouts(1).now()).as("with what had reached disks").contains(now);
  }

  private Prospect ask(long incarnation) throws Exception {
    return whereabouts(incarnation).prospect();
  }

  private Whereabouts whereabouts(long incarnation) throws Exception {
    return placements
        .whereabouts(server(incarnation))
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
  }

  private static PlacedServer server(long incarnation) {
    return new PlacedServer(ServerId.of(1, 1), incarnation, "server", 7400);
  }

  private static ServerStatus status(State state, long intactSince) {
    return new ServerStatus(server(2), state, intactSince, 0, 1);
  }
}
