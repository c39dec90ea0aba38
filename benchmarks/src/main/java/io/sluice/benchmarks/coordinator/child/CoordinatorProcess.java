package io.sluice.benchmarks.coordinator.child;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.common.config.ConfigReader;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorConfig;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A coordinator with a ZooKeeper of its own. Argument: a directory. Says its port when it is ready.
 * The one command, {@value #USE}, answers CPU time in nanoseconds, and the peak of heap in use
 * since it was last asked, in bytes.
 */
public final class CoordinatorProcess {
  public static final String USE = "use";

  private CoordinatorProcess() {}

  public static void main(String[] args) throws Exception {
    Map<String, String> values = new HashMap<>();
    values.put("coordinator.host", "127.0.0.1");
    values.put("coordinator.bind-address", "127.0.0.1");
    values.put("coordinator.port", "0");
    values.put("coordinator.http.port", "0");
    // The crowd is all on this machine.
    values.put("coordinator.connections-per-address", "1000000");
    values.put("coordinator.data-dir", args[0]);
    values.put("coordinator.server.heartbeat-interval", "2s");
    CoordinatorConfig config =
        CoordinatorConfig.from(
            new ConfigReader(List.of(CoordinatorConfig.SECTION)).values("bench", values).read());
    try (Coordinator coordinator = Coordinator.start(config)) {
      CommandLoop.serve(
          Integer.toString(coordinator.address().port()),
          words -> {
            if (words[0].equals(USE)) {
              return cpuNanos() + " " + peakHeap();
            }
            throw new IllegalArgumentException(words[0]);
          });
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** Sum over pools, which may have peaked at different times: no less than it was. */
  private static long peakHeap() {
    long peak = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        peak += pool.getPeakUsage().getUsed();
        pool.resetPeakUsage();
      }
    }
    return peak;
  }
}
