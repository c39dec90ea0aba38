package io.sluice.transport.session;

import io.sluice.common.id.ServerId;
import io.sluice.transport.ConnectionTimeouts;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A client half on its own, fed with bytes. */
final class ClientRig {
  final MemoryOutput output;
  final ClientLog session = new ClientLog();
  final ClientProtocol protocol;

  ClientRig(@Nullable ServerId expected) {
    this(expected, ClientAuthenticator.none());
  }

  ClientRig(@Nullable ServerId expected, ClientAuthenticator authenticator) {
    this(expected, authenticator, MemoryOutput.unbounded());
  }

  ClientRig(@Nullable ServerId expected, ClientAuthenticator authenticator, MemoryOutput output) {
    this.output = output;
    ClientSettings settings =
        new ClientSettings(new UUID(9, 9), authenticator, ConnectionTimeouts.defaults());
    protocol = new ClientProtocol(settings, expected, session, output);
    protocol.start(0);
  }

  /** A client that has been welcomed; what it has sent so far is taken. */
  static ClientRig open() {
    ClientRig rig = new ClientRig(null);
    rig.feed(ServerBytes.welcome());
    rig.output.takeSent();
    return rig;
  }

  void feed(byte[] bytes) {
    feed(bytes, List.of(bytes.length + 1));
  }

  void feed(byte[] bytes, List<Integer> cuts) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int position = 0;
    for (int i = 0; position < bytes.length; i++) {
      int length = Math.min(cuts.get(i % cuts.size()), bytes.length - position);
      protocol.receive(buffer, position, length);
      protocol.readComplete();
      position += length;
    }
  }
}
