package io.sluice.cli.bench;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.cluster.ClusterOptions;
import io.sluice.cli.service.StopSignal;
import io.sluice.client.ClientSecurity;
import io.sluice.client.FixedPlacement;
import io.sluice.client.SluiceClient;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.client.placement.Placements;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = {
      "Measures a running cluster from this machine: writes data to its shuffle servers, reads it"
          + " back and compares every byte.",
      "Registers an application of its own and ends it in any case, which drops the data; if no"
          + " coordinator answers for --leader-timeout, its id is said, and its lease ends it.",
      "Beside the load, blocks are sent one by one to see how long one takes to be acknowledged."
    })
public final class BenchCommand implements Callable<Integer> {
  private static final Duration ATTEMPT_DEADLINE = Duration.ofSeconds(5);

  /** Nobody answers, or not yet; everything else is an answer. */
  private static final Set<ErrorCode> UNANSWERED =
      EnumSet.of(
          ErrorCode.COORDINATOR_UNAVAILABLE,
          ErrorCode.CONNECT_FAILED,
          ErrorCode.CONNECTION_LOST,
          ErrorCode.TIMED_OUT,
          ErrorCode.SHUTTING_DOWN);

  private final StopSignal signal;
  private final Stop stop = new Stop();
  private boolean left;

  @Mixin private ClusterOptions options = new ClusterOptions();

  @Option(
      names = "--size",
      description = "bytes to write, each once; default ${DEFAULT-VALUE}",
      defaultValue = "1g",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize size = DataSize.parse("1g");

  @Option(
      names = "--partitions",
      description = "of the shuffle; default ${DEFAULT-VALUE}",
      defaultValue = "200",
      paramLabel = "N")
  private int partitions;

  @Option(
      names = "--clients",
      description = "threads that write, and then read; default: one a core, at most 8",
      paramLabel = "N")
  private int clients = Math.min(8, Runtime.getRuntime().availableProcessors());

  @Option(
      names = "--block-size",
      description = "of each block, 1k to 2m; default ${DEFAULT-VALUE}",
      defaultValue = "256k",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize blockSize = DataSize.parse("256k");

  @Option(
      names = "--replicas",
      description = "servers that have each block; default: what the cluster gives",
      paramLabel = "N")
  private @Nullable Integer replicas;

  @Option(
      names = "--seed",
      description = "of the bytes written; default ${DEFAULT-VALUE}",
      defaultValue = "1",
      paramLabel = "N")
  private long seed;

  /**
   * @param signal ends a run before its time
   */
  public BenchCommand(StopSignal signal) {
    this.signal = signal;
  }

  @Override
  public Integer call() {
    BenchRun run = run();
    ApplicationId application = new ApplicationId(UUID.randomUUID());
    ClientSecurity security = options.security(application);
    CoordinatorClientConfig coordinators =
        new CoordinatorClientConfig(
            options.addresses(), callDeadline(options.leaderTimeout()), ATTEMPT_DEADLINE);
    signal.watch(
        () -> {
          System.err.println("stopping");
          stop.ask();
        });
    try (CoordinatorClient control = CoordinatorClient.open(coordinators, security)) {
      System.err.println("registering at " + join(options.addresses()));
      return measure(run, control, registration(application), security);
    } catch (InterruptedException e) {
      return stopped();
    } catch (SluiceException e) {
      if (stop.isAsked()) {
        return stopped();
      }
      throw e.code() == ErrorCode.INVALID_CONFIGURATION ? e : asFailed(e);
    }
  }

  private static String join(List<HostPort> addresses) {
    return String.join(",", addresses.stream().map(HostPort::toString).toList());
  }

  /** Nobody can be asked in no time. */
  private static Duration callDeadline(Duration leaderTimeout) {
    return leaderTimeout.compareTo(ATTEMPT_DEADLINE) < 0 ? ATTEMPT_DEADLINE : leaderTimeout;
  }

  private BenchRun run() {
    Load load = Load.of(size, blockSize, partitions, clients);
    int clientsMax = BenchRun.clientsMax(load.blockBytes());
    if (clients < 1 || clients > clientsMax) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "--clients has to be 1 to " + clientsMax + " with blocks of " + blockSize);
    }
    if (replicas != null && replicas < 1) {
      throw new CommandFailedException(ExitCode.USAGE, "--replicas has to be at least 1");
    }
    return new BenchRun(load, clients, seed, System.err::println);
  }

  private Registration registration(ApplicationId application) {
    return new Registration(
        application,
        "sluice bench on process " + ProcessHandle.current().pid(),
        System.getProperty("user.name", "unknown"),
        "bench",
        version());
  }

  /**
   * Prints figures before the end, which takes as long as the coordinators do. A stop does not
   * interrupt the registration: what is half registered could not be ended.
   */
  private int measure(
      BenchRun run, CoordinatorClient control, Registration registration, ClientSecurity security)
      throws InterruptedException {
    RegisteredApplication application = register(control, registration);
    System.err.println("application " + application.id());
    try (BenchEpochs epochs = run.epochs(application);
        SluiceClient client = SluiceClient.open(run.limits(), Placements.from(epochs), security)) {
      stop.begin();
      FixedPlacement placement =
          application.createShuffle(
              new ShuffleKey(application.id(), 0, 0),
              partitions,
              replicas == null ? 0 : replicas,
              List.of());
      epochs.begin(placement);
      BenchReport report = run.run(client, placement);
      if (epochs.changes() > 0) {
        System.err.println(
            "the placement changed "
                + (epochs.changes() == 1 ? "once" : epochs.changes() + " times")
                + ": figures of single servers are as it was first");
      }
      System.out.print(options.write(report.json(), report::table));
    } catch (SluiceException e) {
      throw explained(e, control, registration);
    } finally {
      stop.leave();
      end(application);
    }
    return left ? ExitCode.UNAVAILABLE : ExitCode.OK;
  }

  private RegisteredApplication register(CoordinatorClient control, Registration registration) {
    try {
      return control.registerApplication(registration);
    } catch (SluiceException e) {
      if (UNANSWERED.contains(e.code())) {
        // The request may have arrived where the answer came from too late, or never.
        stays("if application " + registration.application() + " was registered all the same,", e);
      }
      throw e;
    }
  }

  /** Servers only say that they do not know the application; coordinators may know why. */
  private SluiceException explained(
      SluiceException failure, CoordinatorClient control, Registration registration) {
    if (stop.isAsked() || UNANSWERED.contains(failure.code())) {
      return failure;
    }
    return control
        .endedBecause(registration)
        .map(reason -> new SluiceException(reason.code(), reason.detail(), failure))
        .orElse(failure);
  }

  private void end(RegisteredApplication application) {
    try {
      application.end(callDeadline(options.leaderTimeout()));
    } catch (SluiceException e) {
      stays("application " + application.id() + " could not be ended:", e);
    }
  }

  private void stays(String what, SluiceException why) {
    left = true;
    System.err.println(
        what
            + " its data stays until its lease is over, or 'sluice app kill' ("
            + why.detail()
            + ")");
  }

  /** The signal says how the process ends, unless something is left behind. */
  private int stopped() {
    System.err.println("stopped by a signal" + (left ? "" : ", with nothing left behind"));
    return left ? ExitCode.UNAVAILABLE : ExitCode.OK;
  }

  private static CommandFailedException asFailed(SluiceException failure) {
    return new CommandFailedException(
        UNANSWERED.contains(failure.code()) ? ExitCode.UNAVAILABLE : ExitCode.FAILED,
        failure.detail() + " (" + failure.code() + ")",
        failure);
  }

  private static String version() {
    String version = BenchCommand.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
