package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryPlanTest {
  private static final long MIB = 1 << 20;
  private static final ProcessMemory PROCESS =
      new ProcessMemory(64 * MIB, 4096 * MIB, 16_384 * MIB);

  private static ServerConfig config(String... keysAndValues) {
    Map<String, String> values = new HashMap<>();
    values.put("server.event-loops", "2");
    values.put("server.memory", "2g");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read());
  }

  @Test
  void takesAQuarterOfTheMachineWhereNothingIsConfigured() {
    assertThat(MemoryPlan.defaultBudget((64L << 30) + 4097).toBytes()).isEqualTo(16L << 30);
    assertThat(MemoryPlan.defaultBudget(512 * MIB).toBytes()).isEqualTo(256 * MIB);
  }

  @Test
  void setsMemoryAsideForGrpcWhereItIsSpoken() {
    MemoryPlan without = MemoryPlan.of(config("server.connections.max", "100"), PROCESS);
    MemoryPlan with =
        MemoryPlan.of(config("server.connections.max", "100", "server.grpc.port", "0"), PROCESS);
    assertThat(with.network() - without.network()).isEqualTo(25 * MIB);
    assertThat(without.arena() - with.arena()).isEqualTo(25 * MIB);
  }

  @Test
  void setsMemoryAsideForCopiesWhereConnectionsAreEncrypted() {
    ServerConfig config = config("server.connections.max", "100");
    MemoryPlan plain = MemoryPlan.of(config, PROCESS);
    MemoryPlan encrypted = MemoryPlan.of(config, PROCESS, true);
    assertThat(encrypted.network() - plain.network()).isEqualTo(100 * 384L * 1024);
  }

  @Test
  void stagesForAsManyWritesAsAreASmallShare() {
    assertThat(writes("2g", "/d")).isEqualTo(4);
    assertThat(writes("820m", "/d")).isEqualTo(4);
    assertThat(writes("816m", "/d")).isEqualTo(2);
    assertThat(writes("412m", "/d")).isEqualTo(2);
    assertThat(writes("400m", "/d")).isEqualTo(1);
    assertThat(writes("2g", "/a,/b,/c,/d")).isEqualTo(2);
    assertThat(writes("2g", "/a,/b,/c,/d,/e,/f,/g,/h")).isEqualTo(1);
    assertThat(writes("64g", "hdd:/d")).isEqualTo(1);
  }

  private static int writes(String memory, String disks) {
    ServerConfig config = config("server.memory", memory, "server.data-dirs", disks);
    DiskOptions options = MemoryPlan.diskOptions(config, config.dataDirs().get(0));
    assertThat(MemoryPlan.divide(config, PROCESS, false).staging())
        .isEqualTo(config.dataDirs().size() * options.stagingMemory());
    return options.writesAtOnce();
  }

  @Test
  void leavesMostOfASmallBudgetToData() {
    MemoryPlan plan =
        MemoryPlan.of(config("server.memory", "512m", "server.data-dirs", "/d"), PROCESS);
    assertThat(plan.arena()).isBetween(280 * MIB, 330 * MIB);
    assertThat(plan.arena() % MIB).isZero();
    assertThat(
            plan.heap()
                + plan.network()
                + plan.staging()
                + plan.caches()
                + plan.reads()
                + plan.catalogs()
                + plan.jvm()
                + plan.arena())
        .isBetween(511 * MIB, 512 * MIB);
    assertThat(plan.describe()).contains("memory 512m").contains("heap 64m");
  }

  /** The default limits of writers must suit it; each event loop beyond two takes of it. */
  @Test
  void theSmallestBudgetServesAsManyWritersAsTheDefaultsAllow() {
    ServerConfig smallest =
        config("server.memory", "256m", "server.data-dirs", "/d", "server.event-loops", "2");
    MemoryPlan plan = MemoryPlan.of(smallest, PROCESS);
    assertThatCode(() -> smallest.limits().credit(plan.arena()).check(plan.arena()))
        .doesNotThrowAnyException();
  }

  @Test
  void aSmallServerReadsIntoAThirtySecondAndALargerOneIntoASixteenth() {
    assertThat(flashCache("511m")).isEqualTo(15 * MIB);
    assertThat(flashCache("512m")).isEqualTo(32 * MIB);
    assertThat(flashCache("800m")).isEqualTo(50 * MIB);
    assertThat(flashCache("8g")).isEqualTo(64 * MIB);
  }

  private static long flashCache(String memory) {
    ServerConfig config = config("server.memory", memory, "server.data-dirs", "/d");
    return MemoryPlan.diskOptions(config, config.dataDirs().get(0)).reads().cache();
  }

  @Test
  void paysForEveryDisk() {
    MemoryPlan one =
        MemoryPlan.of(config("server.memory", "4g", "server.data-dirs", "/a"), PROCESS);
    MemoryPlan three =
        MemoryPlan.of(config("server.memory", "4g", "server.data-dirs", "/a,/b,/c"), PROCESS);
    assertThat(three.staging()).isEqualTo(3 * one.staging());
    assertThat(three.catalogs()).isEqualTo(3 * one.catalogs());
    assertThat(three.arena()).isLessThan(one.arena());
  }

  @Test
  void givesEachClassOfDisksItsUnitsAndWindows() {
    ServerConfig mixed = config("server.memory", "4g", "server.data-dirs", "ssd:/a, hdd:/b,/c");
    assertThat(mixed.dataDirs())
        .extracting(DataDir::kind)
        .containsExactly(DiskClass.SSD, DiskClass.HDD, DiskClass.SSD);
    DiskOptions flash = MemoryPlan.diskOptions(mixed, mixed.dataDirs().get(2));
    DiskOptions spindle = MemoryPlan.diskOptions(mixed, mixed.dataDirs().get(1));
    assertThat(flash.unitSize()).isEqualTo(4 * MIB);
    assertThat(flash.reads().window()).isEqualTo(MIB);
    assertThat(spindle.unitSize()).isEqualTo(8 * MIB);
    assertThat(spindle.reads().window()).isEqualTo(8 * MIB);
    assertThat(spindle.reads().threads()).isEqualTo(1);
    assertThat(flash.reads().threads()).isEqualTo(8);
    assertThat(MemoryPlan.remoteOptions(mixed).reads().threads()).isEqualTo(4);
    assertThat(mixed.smallestUnit()).isEqualTo(4 * MIB);
    MemoryPlan plan = MemoryPlan.of(mixed, PROCESS);
    assertThat(plan.caches())
        .isEqualTo(2 * flash.reads().directMemory() + spindle.reads().directMemory());
    assertThat(plan.staging()).isEqualTo(2 * flash.stagingMemory() + spindle.stagingMemory());
    // Of three disks each has a third: of an eighth for a spindle, and for flash as much as is of
    // use.
    assertThat((long) flash.reads().cache()).isEqualTo(64 * MIB);
    assertThat((long) spindle.reads().cache()).isBetween(160 * MIB, 4096 * MIB / 8 / 3);
  }

  @Test
  void keepsToTheUnitItIsToldOnEveryDisk() {
    ServerConfig told = config("server.data-dirs", "hdd:/a,/b", "server.disk.unit", "16m");
    for (DataDir dir : told.dataDirs()) {
      assertThat(MemoryPlan.diskOptions(told, dir).unitSize()).isEqualTo(16 * MIB);
    }
  }

  @Test
  void hasNoMoreReadBuffersThanReadsMayWaitForADisk() {
    ServerConfig huge = config("server.memory", "512g", "server.data-dirs", "/a");
    ProcessMemory process = new ProcessMemory(64 * MIB, 1L << 40, 1L << 40);
    assertThat(MemoryPlan.of(huge, process).readBuffers())
        .isLessThanOrEqualTo(MemoryPlan.diskOptions(huge, huge.dataDirs().get(0)).maxQueuedReads());
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertRefused(
        config("server.memory", "512m"),
        new ProcessMemory(480 * MIB, 4096 * MIB, 16_384 * MIB),
        "leaves nothing for data");
    assertRefused(
        config("server.memory", "4g"),
        new ProcessMemory(64 * MIB, 8192 * MIB, 2048 * MIB),
        "more than the 2g of the machine");
    assertRefused(
        config("server.memory", "2g"),
        new ProcessMemory(64 * MIB, 64 * MIB, 16_384 * MIB),
        "MaxDirectMemorySize");
  }

  private static void assertRefused(ServerConfig config, ProcessMemory process, String why) {
    assertThatThrownBy(() -> MemoryPlan.of(config, process))
        .hasMessageContaining(why)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
  }

  @Test
  void reportsRulesBetweenKeysTogether() {
    assertThatThrownBy(
            () ->
                config(
                    "server.disk.unit", "1m",
                    "server.block.max", "1m",
                    "server.disk.segment", "1m",
                    "server.data-dirs", "/a,/b,/a"))
        .hasMessageContaining("3 problems")
        .hasMessageContaining("at least twice server.block.max")
        .hasMessageContaining("at least twice server.disk.unit")
        .hasMessageContaining("/a is named twice");
  }
}
