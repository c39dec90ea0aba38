package io.sluice.benchmarks.storage.engine;

import io.sluice.benchmarks.storage.StorageCase;
import io.sluice.benchmarks.storage.child.PhaseLoop;
import io.sluice.benchmarks.storage.disk.DiskLoad;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import io.sluice.benchmarks.storage.model.ModelledSite;
import io.sluice.benchmarks.storage.model.SeekRule;
import io.sluice.common.time.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The process that the engine is measured in: {@code DEVICE DIRECTORY CASE...}, where the device is
 * {@value #LOCAL} or a rule for seeks of the modelled one.
 */
public final class EngineMain {
  /** The device that is the machine's own. */
  public static final String LOCAL = "local";

  private static final int CASE_ARGUMENT = 2;

  private EngineMain() {}

  public static void main(String[] args) throws Exception {
    List<String> arguments = Arrays.asList(args);
    Path directory = Files.createDirectories(Path.of(arguments.get(1)));
    StorageCase shape = StorageCase.parse(arguments.subList(CASE_ARGUMENT, arguments.size()));
    DiskTurn turn = new DiskTurn(Clock.system(), DiskLoad.of(directory));
    try (Site site = site(arguments.get(0), directory, turn)) {
      StorageEngine engine = new StorageEngine(shape, site);
      PhaseLoop.serve(engine::run, engine::discard, turn);
    }
  }

  private static Site site(String device, Path directory, DiskTurn turn) {
    return device.equals(LOCAL)
        ? new MachineSite(directory, turn)
        : new ModelledSite(directory, SeekRule.valueOf(device));
  }
}
