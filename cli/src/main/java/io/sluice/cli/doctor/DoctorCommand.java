package io.sluice.cli.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.cluster.ClusterOptions;
import io.sluice.cli.cluster.ClusterQuestions;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityFiles;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorChecks;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerChecks;
import io.sluice.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice doctor}. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = {
      "Looks for what is wrong: settings, ports, disks, clocks, ZooKeeper, versions.",
      "Exits with 1 if something does not work. Changes nothing."
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final ConfigSection SERVER = ServerConfig.SECTION;
  private static final Finding NO_ZOOKEEPER =
      Finding.skip("zookeeper", "needs --config with the right settings of a coordinator");

  @Mixin private ClusterOptions options = new ClusterOptions();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "settings of this machine's coordinator or server, to look at what they name, and to ask"
              + " their cluster with their keys unless others are given")
  private @Nullable Path file;

  private boolean unreadable;

  @Override
  public Integer call() {
    List<Finding> findings = new ArrayList<>();
    findings.add(MachineChecks.java());
    findings.addAll(settings());
    findings.addAll(cluster());
    ArrayNode lines = new ObjectMapper().createArrayNode();
    for (Finding finding : findings) {
      lines
          .addObject()
          .put("check", finding.check())
          .put("verdict", finding.verdict().name())
          .put("detail", finding.detail());
    }
    System.out.print(options.write(lines, () -> table(findings)));
    boolean fails = findings.stream().anyMatch(f -> f.verdict() == Finding.Verdict.FAIL);
    return fails ? ExitCode.FAILED : ExitCode.OK;
  }

  private static String table(List<Finding> findings) {
    TextTable table = TextTable.ofWords("CHECK", "VERDICT", "DETAIL");
    findings.forEach(
        f -> table.add(f.check(), f.verdict().name().toLowerCase(Locale.ROOT), f.detail()));
    return table.toString();
  }

  private List<Finding> cluster() {
    if (unreadable && !options.namesCoordinators()) {
      return List.of(
          Finding.skip("coordinator", "which one is asked is in the settings, or --coordinator"));
    }
    try {
      return ClusterChecks.all(ClusterQuestions.by(options), Clock.system());
    } catch (SluiceException e) {
      return List.of(Finding.fail("coordinator", e.detail()));
    }
  }

  private List<Finding> settings() {
    if (file == null) {
      return List.of(
          Finding.skip("settings", "name a file with --config to have ports and disks looked at"),
          NO_ZOOKEEPER);
    }
    try {
      Settings settings = reader().file(file).read();
      options.fallBackTo(ClusterOfSettings.of(settings, isGiven(settings, SERVER)));
      List<Finding> findings = new ArrayList<>();
      findings.add(Finding.ok("settings", file + " can be read"));
      if (isGiven(settings, SERVER)) {
        findings.addAll(server(settings));
      }
      if (isForCoordinator(settings)) {
        findings.addAll(coordinator(settings));
      } else {
        findings.add(NO_ZOOKEEPER);
      }
      return findings;
    } catch (SluiceException e) {
      unreadable = true;
      return List.of(Finding.fail("settings", e.detail()), NO_ZOOKEEPER);
    }
  }

  /** Tells what the services would tell at their start. */
  private static ConfigReader reader() {
    ConfigReader reader = new ConfigReader(ConfigCommand.SECTIONS);
    SecurityFiles.CHECKS.forEach(reader::check);
    Stream.concat(
            ServerChecks.of(budget -> ServerJvm.memoryToCome(budget, System.getenv())).stream(),
            ServerChecks.FILES.stream())
        .forEach(check -> reader.check(check.onlyIf(settings -> isGiven(settings, SERVER))));
    Stream.concat(CoordinatorChecks.ALL.stream(), CoordinatorChecks.FILES.stream())
        .forEach(check -> reader.check(check.onlyIf(DoctorCommand::isForCoordinator)));
    return reader.checkIfWrong(Coordinator.ZOOKEEPER_CHECK);
  }

  private static boolean isForCoordinator(Settings settings) {
    return isGiven(settings, CoordinatorConfig.SECTION) || !isGiven(settings, SERVER);
  }

  private static boolean isGiven(Settings settings, ConfigSection section) {
    return section.keys().stream().anyMatch(settings::isGiven);
  }

  private static List<Finding> coordinator(Settings settings) {
    List<Finding> findings = new ArrayList<>();
    String bind = settings.get(CoordinatorConfig.BIND_ADDRESS);
    findings.add(
        MachineChecks.port(
            CoordinatorConfig.PORT.name(), bind, settings.get(CoordinatorConfig.PORT)));
    findings.add(
        MachineChecks.port(
            CoordinatorConfig.HTTP_PORT.name(), bind, settings.get(CoordinatorConfig.HTTP_PORT)));
    List<HostPort> ensemble = settings.get(CoordinatorConfig.ZOOKEEPER_CONNECT).orElseGet(List::of);
    boolean encrypted = settings.get(CoordinatorConfig.ZOOKEEPER_TLS_TRUST_FILE).isPresent();
    ensemble.forEach(member -> findings.add(ZooKeeperCheck.member(member, encrypted)));
    if (ensemble.isEmpty()) {
      findings.add(
          Finding.skip(
              "zookeeper",
              "the coordinator runs one of its own: "
                  + CoordinatorConfig.ZOOKEEPER_CONNECT.name()
                  + " is not set"));
      findings.add(
          MachineChecks.directory(
              CoordinatorConfig.DATA_DIR.name(), settings.get(CoordinatorConfig.DATA_DIR)));
    }
    return findings;
  }

  private static List<Finding> server(Settings settings) {
    List<Finding> findings = new ArrayList<>();
    String bind = settings.get(ServerConfig.BIND_ADDRESS);
    findings.add(
        MachineChecks.port(ServerConfig.PORT.name(), bind, settings.get(ServerConfig.PORT)));
    findings.add(
        MachineChecks.port(
            ServerConfig.HTTP_PORT.name(), bind, settings.get(ServerConfig.HTTP_PORT)));
    findings.add(MachineChecks.hugePages(MachineChecks.HUGE_PAGES));
    settings.get(ServerConfig.DATA_DIRS).orElseGet(List::of).stream()
        .map(dir -> MachineChecks.directory(ServerConfig.DATA_DIRS.name(), dir.path()))
        .forEach(findings::add);
    return findings;
  }
}
