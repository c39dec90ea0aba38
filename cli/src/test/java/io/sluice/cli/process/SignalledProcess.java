package io.sluice.cli.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A process with a group of two children that waits for a signal. */
final class SignalledProcess {
  private SignalledProcess() {}

  public static void main(String[] args) throws Exception {
    ProcessGroup group =
        ProcessGroup.endedBySignals(
            () -> System.out.println("afterwards"),
            names -> System.out.println("stopped " + String.join(", ", names)));
    for (String name : List.of("first", "second")) {
      group.start(
          new ChildSpec(
              name,
              List.of("cat"),
              Map.of(),
              Path.of(args[0]),
              Path.of(args[0], "log"),
              line -> false));
    }
    System.out.println("ready");
    new CountDownLatch(1).await();
  }
}
