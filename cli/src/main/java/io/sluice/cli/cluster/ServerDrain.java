package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.Uuid;
import java.util.UUID;

/** Drains a server, or undoes that, and says how it fares. */
final class ServerDrain {
  private final ClusterOptions options;
  private final UUID server;

  ServerDrain(ClusterOptions options, UUID server) {
    this.options = options;
    this.server = server;
  }

  /** Lets the server take data again. */
  void undo() {
    run(request().setUndo(true));
  }

  /**
   * @return the last that was heard of it
   */
  DrainProgress begin(boolean wait, boolean force) {
    return run(request().setWait(wait).setForce(force));
  }

  private DrainServerRequest.Builder request() {
    return DrainServerRequest.newBuilder()
        .setServer(
            Uuid.newBuilder()
                .setHigh(server.getMostSignificantBits())
                .setLow(server.getLeastSignificantBits()));
  }

  private DrainProgress run(DrainServerRequest.Builder request) {
    return new DrainCall(options.channels(), options.named(), this::show, options.leaderTimeout())
        .run(request.build());
  }

  private void show(DrainProgress progress) {
    ServerInfo info = progress.getServer();
    boolean there = progress.hasServer();
    ObjectNode json =
        there
            ? ClusterDocument.server(info)
            : RestCalls.object().put("server", server.toString()).put("state", "UNKNOWN");
    String sentence = there ? ServerLines.sentence(info) : "server " + server + " is not there";
    System.out.print(options.writeNext(json, () -> sentence + "\n"));
  }
}
