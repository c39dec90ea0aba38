package io.sluice.coordinator.testing;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server's connection that remembers what was sent. */
public final class RecordingChannel implements ServerChannel {
  private final List<Directive> sent = new ArrayList<>();
  private boolean ready = true;
  private @Nullable ErrorCode end;
  private String reason = "";

  public void setReady(boolean ready) {
    this.ready = ready;
  }

  public List<Directive> sent() {
    return sent;
  }

  /** Why it ended, null if it has not. */
  public @Nullable ErrorCode end() {
    return end;
  }

  /** What was said about its end, empty if it has not ended. */
  public String reason() {
    return reason;
  }

  @Override
  public boolean isReady() {
    return ready && end == null;
  }

  @Override
  public void send(Directive directive) {
    sent.add(directive);
  }

  @Override
  public void end(SluiceException reason) {
    if (end == null) {
      end = reason.code();
      this.reason = reason.detail();
    }
  }
}
