package io.sluice.mapreduce.job;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.Optional;

/** What a task asks of coordinators. Thread-safe; calls wait for answers. */
interface Coordinators extends AutoCloseable {
  /**
   * Says that the job lives.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE, or why the job is refused
   */
  void renew();

  /**
   * Places a shuffle, or finds where its leader placed it.
   *
   * @throws SluiceException as {@code RegisteredApplication.createShuffle}
   */
  FixedPlacement place(ShuffleKey shuffle, int partitions, int replicas);

  /**
   * Which servers there are, as far as a coordinator has said; kept up to date from the first call
   * on.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE if none says so in time
   */
  ServerBook servers() throws InterruptedException;

  /**
   * What becomes of a server that a task cannot reach. Waits until coordinators have made up their
   * minds, for as long as a call may take.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE if none says anything in time
   */
  ServerFate fate(PlacedServer server) throws InterruptedException;

  /**
   * Whether the job is refused for good, such as one that an operator has ended. Waits for the
   * answer.
   *
   * @return the coordinator's reason; empty if it goes on, or nobody says
   */
  Optional<SluiceException> endedBecause();

  /**
   * Ends the job: everything that it stored is dropped.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE if none answers in time, or why it was refused;
   *     the lease ends the job then
   */
  void end();

  /** Ends connections and nothing else. */
  @Override
  void close();
}
