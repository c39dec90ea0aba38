package io.sluice.server;

import io.sluice.http.Health;
import io.sluice.server.control.ControlSession;
import io.sluice.server.segment.SegmentStore;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Ready means admitted, and not without a disk to write to if there are any. Thread-safe. */
record Admission(ControlSession session, List<SegmentStore> stores) implements Health {
  @Override
  public Optional<String> notLive() {
    return Optional.empty();
  }

  @Override
  public Optional<String> notReady() {
    if (!session.admitted()) {
      return session.problem().or(() -> Optional.of("no coordinator has admitted this server"));
    }
    if (stores.isEmpty() || stores.stream().anyMatch(store -> store.health().healthy())) {
      return Optional.empty();
    }
    return Optional.of(
        "all disks are fenced: "
            + stores.stream()
                .map(store -> store.name() + ": " + store.health().problem())
                .collect(Collectors.joining(", ")));
  }
}
