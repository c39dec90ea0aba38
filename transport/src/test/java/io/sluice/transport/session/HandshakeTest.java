package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.Principal;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class HandshakeTest {

  @Test
  void bothHalvesAgree() {
    ClientRig client = new ClientRig(Rig.IDENTITY.id());
    Rig server = new Rig();
    exchange(client, server);
    assertThat(client.session.events)
        .containsExactly("connected " + Rig.IDENTITY + " " + Rig.SEED + " " + Rig.MAX_BLOCK);
  }

  @Test
  void strangersAreToldByTheirFirstWrongByte() {
    Rig rig = new Rig();
    rig.feed("SLU".getBytes(StandardCharsets.UTF_8));
    assertThat(rig.protocol.isEnded()).isFalse();
    rig.feed("X".getBytes(StandardCharsets.UTF_8));
    assertThat(rig.error()).isEqualTo(ErrorCode.BAD_MAGIC);
  }

  @Test
  void theServerSaysItsMagicEvenWhenItRefuses() {
    Rig rig = new Rig();
    rig.feed(new byte[] {'G'});
    assertThat(rig.output.takeSent()).startsWith(Rig.magic());
  }

  @Test
  void versionsThatDoNotMeetAreRefused() {
    assertThat(errorFor(Rig.hello(5, 6, null, 0))).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(errorFor(Rig.hello(0, 0, null, 0))).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(errorFor(Rig.hello(3, 2, null, 0))).isEqualTo(ErrorCode.MALFORMED_FRAME);
  }

  @Test
  void aNewerClientGetsTheVersionBothSpeak() {
    assertThat(versionFor(Rig.hello(1, 9, null, 0))).isEqualTo(4);
    assertThat(versionFor(Rig.hello(2, 2, null, 0))).isEqualTo(2);
  }

  @Test
  void anOlderClientGetsItsOwnVersion() {
    assertThat(versionFor(Rig.hello(1, 1, null, 0))).isEqualTo(1);
  }

  private static int versionFor(Hello hello) {
    Rig rig = new Rig();
    rig.feed(Rig.join(Rig.magic(), Rig.bytes(hello.encode(Rig.buffer()))));
    Rig.Frame welcome = Rig.frames(rig.output.takeSent()).get(0);
    assertThat(welcome.type()).isEqualTo(FrameType.WELCOME);
    return welcome.argument();
  }

  @Test
  void theServerMeantMustBeTheOneMet() {
    assertThat(errorFor(Rig.hello(1, 1, ServerId.of(5, 5), 0))).isEqualTo(ErrorCode.WRONG_SERVER);
    assertThat(errorFor(Rig.hello(1, 1, Rig.IDENTITY.id(), 0))).isNull();
  }

  @Test
  void anUnknownSchemeIsRefused() {
    assertThat(errorFor(Rig.hello(1, 1, null, 7))).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void anythingButHelloFirstIsUnexpected() {
    Rig rig = new Rig();
    rig.feed(Rig.join(Rig.magic(), Rig.bytes(Frames.number(Rig.buffer(), FrameType.WANT, 0, 1))));
    assertThat(rig.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);
  }

  @Test
  void aPrincipalLongerThanItsFrameIsMalformed() {
    byte[] hello = Rig.bytes(Rig.hello(1, 1, null, 0).encode(Rig.buffer()));
    hello[16 + 39] = (byte) (hello.length - 16 - 40 + 1);
    Rig rig = new Rig();
    rig.feed(Rig.join(Rig.magic(), hello));
    assertThat(rig.error()).isEqualTo(ErrorCode.MALFORMED_FRAME);
  }

  @Test
  void fieldsOfALaterHelloAreIgnored() {
    byte[] hello = Rig.bytes(Rig.hello(1, 1, null, 0).encode(Rig.buffer()));
    byte[] longer = Rig.join(hello, new byte[] {1, 2, 3});
    longer[3] = (byte) (longer[3] + 3);
    Rig rig = new Rig();
    rig.feed(Rig.join(Rig.magic(), longer));
    assertThat(Rig.frames(rig.output.takeSent()).get(0).type()).isEqualTo(FrameType.WELCOME);
  }

  @Test
  void nothingPassesBeforeTheProof() {
    Rig server = new Rig(MemoryOutput.unbounded(), new Endless());
    server.feed(Rig.join(Rig.magic(), Rig.bytes(Rig.hello(1, 1, null, 99).encode(Rig.buffer()))));
    assertThat(Rig.frames(server.output.takeSent()).get(0).type()).isEqualTo(FrameType.CHALLENGE);
    server.feed(Rig.bytes(Frames.open(Rig.buffer(), 0, Rig.SHUFFLE, 0)));
    assertThat(server.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);
  }

  @Test
  void anAnswerWithoutAChallengeIsUnexpected() {
    Rig rig = new Rig();
    rig.feed(Rig.join(Rig.magic(), Rig.frame(FrameType.AUTHENTICATE, 0, 0, new byte[] {1})));
    assertThat(rig.error()).isEqualTo(ErrorCode.UNEXPECTED_FRAME);
  }

  @Test
  void challengesWithoutEndAreCutOff() {
    Rig server = new Rig(MemoryOutput.unbounded(), new Endless());
    ClientRig client = new ClientRig(null, new Answering());
    exchange(client, server);
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void aFactoryMayRefuse() {
    MemoryOutput output = MemoryOutput.unbounded();
    ServerProtocol protocol =
        new ServerProtocol(
            Rig.settings(ServerAuthenticator.none()),
            (peer, link) -> {
              throw new SluiceException(ErrorCode.NO_MEMORY, "no seed for " + peer.process());
            },
            output);
    protocol.start(0);
    byte[] preface = Rig.preface();
    protocol.receive(ByteBuffer.wrap(preface), 0, preface.length);
    Rig.Frame error = Rig.frames(output.takeSent()).get(0);
    assertThat(ErrorCode.ofNumber(error.argument())).isEqualTo(ErrorCode.NO_MEMORY);
    assertThat(StandardCharsets.UTF_8.decode(error.body()).toString())
        .contains(new UUID(9, 9).toString());
  }

  private static @Nullable ErrorCode errorFor(Hello hello) {
    Rig rig = new Rig();
    rig.feed(Rig.join(Rig.magic(), Rig.bytes(hello.encode(Rig.buffer()))));
    return rig.error();
  }

  private static void exchange(ClientRig client, Rig server) {
    for (int round = 0; round < 10; round++) {
      server.feed(client.output.takeSent());
      client.feed(server.output.takeSent());
    }
  }

  /** A scheme that never has enough. */
  private static final class Endless implements ServerAuthenticator, ServerAuthenticator.Exchange {
    @Override
    public ServerAuthenticator.Exchange begin(
        Hello hello, ServerId self, Supplier<byte[]> binding) {
      return this;
    }

    @Override
    public byte[] challenge() {
      return new byte[] {1};
    }

    @Override
    public CompletionStage<Void> answer(byte[] response) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public byte[] proof() {
      return new byte[0];
    }

    @Override
    public void close() {}

    @Override
    public Principal principal() {
      return Principal.anyone();
    }
  }

  /** Answers whatever is asked. */
  private static final class Answering
      implements ClientAuthenticator, ClientAuthenticator.Exchange {
    @Override
    public int scheme() {
      return 99;
    }

    @Override
    public byte[] principal() {
      return new byte[0];
    }

    @Override
    public ClientAuthenticator.Exchange begin() {
      return this;
    }

    @Override
    public byte[] respond(Hello said, byte[] challenge, byte[] binding) {
      return new byte[] {2};
    }

    @Override
    public void confirm(byte[] serverProof) {}
  }
}
