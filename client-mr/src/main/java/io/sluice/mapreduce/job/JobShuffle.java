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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
      Coordinators coordinators,
      SharedPlacements shared,
      Placements placements,
      SluiceClient client,
      ExecutorService background,
      ThreadScheduler timer) {
    this.coordinators = coordinators;
    this.shared = shared;
    this.placements = placements;
    this.client = client;
    this.background = background;
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
    Placements placements = Placements.from(shared);
    SluiceClient client = SluiceClient.open(config.client(), placements, security);
    ThreadScheduler timer =
        new ThreadScheduler(
            "sluice-lease",
            Clock.system(),
            (thread, failure) -> LOG.error("a task of {} failed", thread.getName(), failure));
    shared.keepRenewing(timer);
    return new JobShuffle(coordinators, shared, placements, client, executor, timer);
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
