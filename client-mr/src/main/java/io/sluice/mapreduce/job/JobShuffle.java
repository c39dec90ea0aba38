package io.sluice.mapreduce.job;

import io.sluice.client.BlockReader;
import io.sluice.client.ClientSecurity;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.Registration;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.mapreduce.config.MapReduceConfig;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one task has of Sluice: connections, threads and the job's placement. Closing it ends what
 * the task does, and nothing that others need.
 */
public final class JobShuffle implements ShuffleAccess {
  private static final Logger LOG = LoggerFactory.getLogger(JobShuffle.class);

  private final Coordinators coordinators;
  private final SharedPlacements shared;
  private final Placements placements;
  private final SluiceClient client;
  private final ExecutorService background;
  private final ThreadScheduler timer;

  private JobShuffle(
      Basis basis, Placements placements, SluiceClient client, ThreadScheduler timer) {
    this.coordinators = basis.coordinators;
    this.background = basis.background;
    this.shared = basis.shared;
    this.placements = placements;
    this.client = client;
    this.timer = timer;
  }

  /**
   * Opens what a task of a job needs. Waits for a coordinator only if no other task has done so
   * before.
   *
   * @throws SluiceException INVALID_CONFIGURATION listing every problem
   */
  public static JobShuffle open(JobConf job, JobID id) throws IOException {
    MapReduceConfig config = MapReduceConfig.ofTask(job);
    JobIdentity identity = new JobIdentity(id, job.getCredentials());
    ClientSecurity security = identity.security(config);
    PlacementLog log = StagedPlacementLog.of(job);
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    Coordinators coordinators = coordinators(config, identity, user, security);
    ExecutorService executor =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread thread = new Thread(work, "sluice-placements");
              thread.setDaemon(true);
              return thread;
            });
    ShuffleKey key = new ShuffleKey(identity.application(), 0, 0);
    ShuffleSpec spec =
        new ShuffleSpec(key, job.getNumReduceTasks(), config.replicas(), config.lease());
    SharedPlacements shared =
        new SharedPlacements(spec, log, coordinators, executor, Clock.system());
    return start(
        new Basis(coordinators, executor, shared),
        placements -> SluiceClient.open(config.client(), placements, security),
        new ThreadScheduler(
            "sluice-lease",
            Clock.system(),
            (thread, failure) -> LOG.error("a task of {} failed", thread.getName(), failure)));
  }

  /** What a task has of Sluice before it has connections. Whoever holds it closes it. */
  static final class Basis {
    private final Coordinators coordinators;
    private final ExecutorService background;
    private final SharedPlacements shared;

    Basis(Coordinators coordinators, ExecutorService background, SharedPlacements shared) {
      this.coordinators = coordinators;
      this.background = background;
      this.shared = shared;
    }

    private void close() {
      background.shutdownNow();
      coordinators.close();
    }
  }

  /**
   * Opens the rest. What cannot be opened wholly is not open at all.
   *
   * @param basis closed with what is returned, or with this
   * @param connect opens the client
   * @param timer of renewals, the same
   */
  static JobShuffle start(
      Basis basis, Function<Placements, SluiceClient> connect, ThreadScheduler timer) {
    Placements placements = Placements.from(basis.shared);
    SluiceClient client;
    try {
      client = connect.apply(placements);
    } catch (RuntimeException | Error e) {
      basis.close();
      throw e;
    }
    JobShuffle shuffle = new JobShuffle(basis, placements, client, timer);
    try {
      // Its thread begins here.
      basis.shared.keepRenewing(timer);
      return shuffle;
    } catch (RuntimeException | Error e) {
      shuffle.close();
      throw e;
    }
  }

  /** A job's access to coordinators alone; to be closed. */
  static Coordinators coordinators(
      MapReduceConfig config, JobIdentity identity, String user, ClientSecurity security) {
    CoordinatorClientConfig addresses = config.coordinators();
    Registration registration =
        new Registration(identity.application(), identity.job(), user, "mapreduce", version())
            .withLease(config.lease())
            .withWishes(config.placementWishes());
    return new CoordinatorSession(
        () -> CoordinatorClient.open(addresses, security),
        registration,
        new ServerNews(new ServerBook(Clock.system()), Clock.system(), ServerNews.SETTLE),
        addresses.callDeadline());
  }

  private static String version() {
    String version = JobShuffle.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public MapOutput openMapOutput(int mapIndex, long attempt) throws IOException {
    return client.openMapOutput(newest(), mapIndex, attempt);
  }

  @Override
  public ShufflePlacement newest() throws IOException {
    return placements.newest(shared.newest());
  }

  @Override
  public BlockReader read(
      ShufflePlacement placement, int partition, int firstMap, int endMap, ExpectedMaps expected) {
    return client.read(placement, partition, partition + 1, firstMap, endMap, expected);
  }

  @Override
  public ServerFate fate(PlacedServer server) throws InterruptedException {
    return coordinators.fate(server);
  }

  @Override
  public Optional<SluiceException> endedBecause() {
    return coordinators.endedBecause();
  }

  @Override
  public void leave(ShufflePlacement placement, List<Complaint> complaints)
      throws InterruptedException {
    try {
      placements.atLeast(placement, placement.epochs() + 1, complaints).toCompletableFuture().get();
    } catch (ExecutionException e) {
      // It has moved already, or there is nowhere to go: maps that run again will find out.
      LOG.info("the shuffle stays where it is: {}", String.valueOf(e.getCause()));
    }
  }

  @Override
  public void close() {
    timer.close();
    background.shutdownNow();
    client.close();
    coordinators.close();
  }
}
