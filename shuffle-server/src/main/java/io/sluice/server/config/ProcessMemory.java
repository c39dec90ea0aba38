package io.sluice.server.config;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What the JVM and the machine allow this process, in bytes.
 *
 * @param heap the most the heap may take
 * @param direct the most that direct buffers may take together
 * @param machine memory of the machine, or of the control group the process is in
 */
public record ProcessMemory(long heap, long direct, long machine) {
  /** Of the running process. */
  public static ProcessMemory current() {
    long heap = Runtime.getRuntime().maxMemory();
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long direct = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    OperatingSystemMXBean machine =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    // Not set, it is as large as the heap.
    return new ProcessMemory(heap, direct == 0 ? heap : direct, machine.getTotalMemorySize());
  }
}
