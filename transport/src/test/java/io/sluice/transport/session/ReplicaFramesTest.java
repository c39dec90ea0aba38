package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.TestBlocks;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.frame.ReplicaFrames;
import io.sluice.transport.frame.Welcome;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What version 3 says of the other members of a replica set, between the two ends. */
class ReplicaFramesTest {
  private static final List<ReplicaMember> OTHERS =
      List.of(
          new ReplicaMember(ServerId.of(1, 2), 3, "one.example", 7410),
          new ReplicaMember(ServerId.of(4, 5), 1L << 40, "h", 65535));

  private static byte[] hello(int version) {
    return Rig.join(
        Rig.magic(), Rig.bytes(Rig.hello(version, version, null, 0).encode(Rig.buffer())));
  }

  private static ClientRig client(int version) {
    ClientRig rig = new ClientRig(null);
    Welcome welcome =
        new Welcome(version, Rig.IDENTITY, Rig.SEED, Rig.MAX_BLOCK, Rig.MAX_HANDLES, 9);
    rig.feed(Rig.join(Rig.magic(), Rig.bytes(welcome.encode(Rig.buffer()))));
    rig.output.takeSent();
    return rig;
  }

  private static Rig server(int version) {
    Rig rig = new Rig();
    rig.feed(hello(version));
    rig.output.takeSent();
    return rig;
  }

  @Test
  void anOpenNamesTheOtherMembers() {
    ClientRig client = client(3);
    client.session.link().open(0, Rig.SHUFFLE, 3, OTHERS);
    client.session.link().flush();
    Rig server = server(3);
    server.feed(client.output.takeSent());
    assertThat(server.session.events).contains("open 0 " + Rig.SHUFFLE + " 3 " + OTHERS);
  }

  @Test
  void aServerThatIsTooOldIsNotAskedToReplicate() {
    ClientRig client = client(2);
    assertThatThrownBy(() -> client.session.link().open(0, Rig.SHUFFLE, 3, OTHERS))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION));
    assertThat(client.output.takeSent()).isEmpty();
  }

  @Test
  void membersThatDoNotAddUpAreMalformed() {
    byte[] open = Rig.bytes(ReplicaFrames.open(Rig.buffer(), 0, Rig.SHUFFLE, 3, OTHERS));
    int first = 16 + 32;
    int hostLength = first + 26;
    assertThat(error(open, hostLength, 255)).isEqualTo(ErrorCode.MALFORMED_FRAME);
    assertThat(error(open, hostLength, 0)).isEqualTo(ErrorCode.MALFORMED_FRAME);
    assertThat(error(open, first + 16, 0x80)).isEqualTo(ErrorCode.MALFORMED_FRAME);
    byte[] half = ByteBuffer.wrap(open.clone()).putInt(0, 40).array();
    assertThat(error(half, 8, half[8])).isEqualTo(ErrorCode.MALFORMED_FRAME);
  }

  private static @Nullable ErrorCode error(byte[] frame, int at, int value) {
    byte[] changed = frame.clone();
    changed[at] = (byte) value;
    Rig server = server(3);
    server.feed(changed);
    return server.error();
  }

  @Test
  void aRefusalNamesWhoseFaultItIsBeforeIt() {
    List<FailedReplica> failed =
        List.of(
            new FailedReplica(ServerId.of(1, 2), ErrorCode.TIMED_OUT),
            new FailedReplica(ServerId.of(4, 5), ErrorCode.NO_MEMORY));
    ClientRig client = client(3);
    client.session.link().open(0, Rig.SHUFFLE, 3, OTHERS);
    client.session.link().push(0, 1, new Bytes(TestBlocks.block(1, 2, 3, 100)));
    client.session.link().push(0, 1, new Bytes(TestBlocks.block(1, 2, 4, 100)));
    client.session.link().flush();
    Rig server = server(3);
    server.feed(client.output.takeSent());
    server.link().nack(0, 1, 0, ErrorCode.REPLICA_FAILED);
    server.link().replicasFailed(failed);
    server.link().nack(1, 1, 0, ErrorCode.REPLICA_FAILED);
    server.link().flush();
    client.feed(server.output.takeSent());
    List<String> events =
        client.session.events.stream()
            .filter(event -> event.startsWith("nack") || event.startsWith("replicas"))
            .toList();
    assertThat(events).hasSize(3);
    assertThat(events.get(1)).isEqualTo("replicasFailed " + failed);
  }

  @Test
  void aServerSaysWhichOneItIs() {
    ServerId self = ServerId.of(7, 8);
    byte[] frame = Rig.bytes(Rig.hello(3, 3, null, 0).from(self).encode(Rig.buffer()));
    ByteBuffer body = ByteBuffer.wrap(frame, 16, frame.length - 16).slice();
    assertThat(Hello.decode(body, 0, body.remaining()).server()).isEqualTo(self);
    byte[] older = Rig.bytes(Rig.hello(2, 2, null, 0).encode(Rig.buffer()));
    ByteBuffer shorter = ByteBuffer.wrap(older, 16, older.length - 32).slice();
    assertThat(Hello.decode(shorter, 0, shorter.remaining()).server()).isNull();
  }

  /** A block on its way. */
  private record Bytes(ByteBuffer block) implements OutgoingData {
    Bytes(byte[] block) {
      this(ByteBuffer.allocateDirect(block.length).put(block).flip());
    }

    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[] {block};
    }

    @Override
    public int length() {
      return block.remaining();
    }

    @Override
    public void close() {}
  }
}
