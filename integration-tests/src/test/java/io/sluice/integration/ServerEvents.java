package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.time.Clock;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What a driver hears of servers, to be waited for. */
final class ServerEvents implements ServerListener {
  private static final long DEADLINE_SECONDS = 60;

  private final BlockingQueue<ServerStatus> heard = new LinkedBlockingQueue<>();
  private final ServerBook book = new ServerBook(Clock.system());

  @Override
  public void snapshot(List<ServerStatus> servers) {
    book.snapshot(servers);
    heard.addAll(servers);
  }

  @Override
  public void changed(ServerStatus server) {
    book.changed(server);
    heard.add(server);
  }

  @Override
  public void unheard() {
    book.unheard();
  }

  /** What a driver says of a server that is asked about. */
  Whereabouts whereabouts(PlacedServer server) {
    return book.whereabouts(server);
  }

  /** The next that is so; none before it may be something else. */
  ServerStatus await(Predicate<ServerStatus> wanted, Predicate<ServerStatus> wrong)
      throws InterruptedException {
    while (true) {
      ServerStatus status = heard.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertThat(status).as("heard within the deadline").isNotNull();
      assertThat(status).as("heard").matches(wrong.negate());
      if (wanted.test(status)) {
        return status;
      }
    }
  }

  ServerStatus await(State state) throws InterruptedException {
    return await(status -> status.state() == state, status -> false);
  }
}
