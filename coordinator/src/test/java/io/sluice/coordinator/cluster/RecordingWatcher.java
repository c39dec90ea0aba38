package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.ServerView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps what it is told, and takes it when the test says so. */
final class RecordingWatcher implements Watcher {
  final List<String> seen = new ArrayList<>();
  final List<List<ServerView>> told = new ArrayList<>();
  boolean ready = true;
  @Nullable ErrorCode end;

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public void send(boolean snapshot, List<ServerView> servers) {
    List<String> texts = servers.stream().map(s -> s.address().host() + " " + s.state()).toList();
    seen.add((snapshot ? "snapshot " : "change ") + texts);
    told.add(servers);
  }

  @Override
  public void end(SluiceException reason) {
    end = reason.code();
  }
}
