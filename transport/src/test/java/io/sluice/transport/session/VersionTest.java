package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Welcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What later versions have, between two that speak it and with one that does not. */
class VersionTest {
  private static final DamagedBlock DAMAGED = new DamagedBlock(Rig.SHUFFLE, 3, 4, 5L << 40, 6);

  /** A server's half, welcomed in a version, with stream 0 begun. */
  private static Rig server(int version) {
    Rig rig = new Rig();
    rig.feed(
        Rig.join(
            Rig.magic(),
            Rig.bytes(Rig.hello(version, version, null, 0).encode(Rig.buffer())),
            Rig.bytes(Frames.open(Rig.buffer(), 0, Rig.SHUFFLE, 3)),
            Rig.bytes(Frames.fetch(Rig.buffer(), request()))));
    rig.output.takeSent();
    return rig;
  }

  private static FetchRequest request() {
    return new FetchRequest(0, 0, 0, 1, 0, 1, 1000);
  }

  private static ClientRig client(int version) {
    ClientRig rig = new ClientRig(null);
    Welcome welcome =
        new Welcome(version, Rig.IDENTITY, Rig.SEED, Rig.MAX_BLOCK, Rig.MAX_HANDLES, 9);
    rig.feed(Rig.join(Rig.magic(), Rig.bytes(welcome.encode(Rig.buffer()))));
    ClientLink link = rig.session.link();
    link.open(0, Rig.SHUFFLE, 3);
    link.fetch(request());
    link.flush();
    rig.output.takeSent();
    return rig;
  }

  private static byte[] damaged(int stream) {
    return Rig.bytes(Frames.damaged(Rig.buffer(), stream, DAMAGED));
  }

  private static byte[] explain() {
    return Rig.bytes(
        Frames.failure(Rig.buffer(), FrameType.EXPLAIN, 0, ErrorCode.QUOTA_EXCEEDED, "too much"));
  }

  @Test
  void aReaderTellsOfDamage() {
    ClientRig client = client(2);
    client.session.link().damaged(0, DAMAGED);
    client.session.link().flush();

    Rig server = server(2);
    server.feed(client.output.takeSent());

    assertThat(server.session.events).contains("damaged 0 " + DAMAGED);
    assertThat(DAMAGED.toString()).contains("partition 3, map 4, attempt 5497558138880, block 6");
  }

  @Test
  void anOlderServerIsNotToldOfDamage() {
    ClientRig client = client(1);
    client.session.link().damaged(0, DAMAGED);
    client.session.link().flush();
    assertThat(client.output.takeSent()).isEmpty();
  }

  @Test
  void aServerExplainsItsRefusals() {
    Rig server = server(2);
    server.link().explain(ErrorCode.QUOTA_EXCEEDED, "too much");
    server.link().flush();

    ClientRig client = client(2);
    client.feed(server.output.takeSent());

    assertThat(client.session.events).contains("explained QUOTA_EXCEEDED too much");
  }

  @Test
  void anOlderClientGetsNoExplanation() {
    Rig server = server(1);
    server.link().explain(ErrorCode.QUOTA_EXCEEDED, "too much");
    server.link().flush();
    assertThat(server.output.takeSent()).isEmpty();
  }

  @Test
  void aClientAsksWhatIsWhole() {
    ClientRig client = client(4);
    client.session.link().inventory(1, 0, 7);
    client.session.link().flush();

    Rig server = server(4);
    server.feed(client.output.takeSent());

    assertThat(server.session.events).contains("inventory 1 0 7");
  }

  @Test
  void anOlderServerCannotBeAskedWhatIsWhole() {
    ClientLink link = client(3).session.link();
    assertThatThrownBy(() -> link.inventory(1, 0, 0))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION));
    link.fetch(new FetchRequest(1, 0, 0, 1, 0, 1, 1)); // The number was not used.
  }

  @Test
  void anInventoryIsCheckedLikeAFetch() {
    Rig negative = server(4);
    negative.feed(Rig.bytes(Frames.inventory(Rig.buffer(), 1, 0, -1)));
    assertThat(negative.error()).isEqualTo(ErrorCode.MALFORMED_FRAME);

    Rig again = server(4);
    again.feed(Rig.bytes(Frames.inventory(Rig.buffer(), 0, 0, 0)));
    assertThat(again.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);

    Rig closed = server(4);
    closed.feed(Rig.bytes(Frames.inventory(Rig.buffer(), 1, 1, 0)));
    assertThat(closed.error()).isEqualTo(ErrorCode.UNKNOWN_HANDLE);
  }

  @Test
  void framesOfALaterVersionAreUnexpected() {
    Rig server = server(1);
    server.feed(damaged(0));
    assertThat(server.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);

    Rig third = server(3);
    third.feed(Rig.bytes(Frames.inventory(Rig.buffer(), 1, 0, 0)));
    assertThat(third.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);

    ClientRig client = client(1);
    client.feed(explain());
    assertThat(client.session.code()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);
  }

  @Test
  void damageOfAStreamThatWasNeverAskedForIsUnexpected() {
    Rig server = server(2);
    server.feed(damaged(1));
    assertThat(server.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);
  }

  @Test
  void aVersionThatTheClientDidNotOfferIsRefused() {
    for (int version : List.of(0, 5)) {
      ClientRig rig = new ClientRig(null);
      Welcome welcome = new Welcome(version, Rig.IDENTITY, 0, Rig.MAX_BLOCK, 1, 1);
      rig.feed(Rig.join(Rig.magic(), Rig.bytes(welcome.encode(Rig.buffer()))));
      assertThat(rig.session.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    }
  }
}
