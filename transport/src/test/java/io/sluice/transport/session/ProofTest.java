package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.common.security.Verifier;
import io.sluice.transport.Principal;
import io.sluice.transport.auth.Authentications;
import io.sluice.transport.auth.Credentials;
import io.sluice.transport.auth.ProofRequired;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scheme 1 through both halves of the protocol. */
final class ProofTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(4, 5);
  private static final Secret SECRET = Secret.of("the application's own secret, 32+");
  private static final ClusterKey CLUSTER =
      ClusterKey.of(List.of(Secret.of("the cluster's key has 32 letters!")));

  private final List<String> counted = new ArrayList<>();
  private CompletableFuture<Verifier> known =
      CompletableFuture.completedFuture(Keys.ofApplication(APPLICATION, SECRET).verifier());

  private Rig server() {
    return new Rig(
        MemoryOutput.unbounded(),
        new ProofRequired(
            application -> known,
            CLUSTER,
            new Authentications() {
              @Override
              public void proved(Principal.Kind kind) {
                counted.add(kind.name());
              }

              @Override
              public void refused(Refusal why) {
                counted.add(why.name());
              }
            }));
  }

  private static ClientRig application(Secret secret) {
    return client(Rig.IDENTITY.id(), Credentials.ofApplication(APPLICATION, secret));
  }

  private static ClientRig client(@Nullable ServerId meant, ClientAuthenticator credentials) {
    return new ClientRig(meant, credentials);
  }

  @Test
  void theRightSecretOpensTheConnection() {
    Rig server = server();
    ClientRig client = application(SECRET);
    exchange(client, server);
    assertThat(client.session.events).hasSize(1);
    assertThat(client.session.events.get(0)).startsWith("connected");
    assertThat(server.peer().principal()).isEqualTo(Principal.of(APPLICATION));
    assertThat(counted).containsExactly("APPLICATION");
  }

  @Test
  void itTakesOneRoundTripMoreThanWithout() {
    Rig server = server();
    ClientRig client = application(SECRET);
    server.feed(client.output.takeSent());
    client.feed(server.output.takeSent());
    assertThat(client.session.events).isEmpty();
    server.feed(client.output.takeSent());
    client.feed(server.output.takeSent());
    assertThat(client.session.events).hasSize(1);
  }

  @Test
  void anotherSecretIsRefused() {
    Rig server = server();
    ClientRig client = application(Secret.of("some other secret of 32 letters!!"));
    exchange(client, server);
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
    assertThat(server.link).isNull();
    assertThat(counted).containsExactly("WRONG_PROOF");
  }

  @Test
  void theSecretOfAnotherApplicationIsRefused() {
    Rig server = server();
    ClientRig client =
        client(Rig.IDENTITY.id(), Credentials.ofApplication(ApplicationId.of(4, 6), SECRET));
    exchange(client, server);
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void whoOffersNoProofIsRefused() {
    Rig server = server();
    ClientRig client = client(Rig.IDENTITY.id(), ClientAuthenticator.none());
    exchange(client, server);
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
    assertThat(counted).containsExactly("NO_PROOF");
  }

  @Test
  void aMemberOfTheClusterIsBelieved() {
    Rig server = server();
    ClientRig client = client(Rig.IDENTITY.id(), Credentials.ofMember(ServerId.of(7, 7), CLUSTER));
    exchange(client, server);
    assertThat(server.peer().principal()).isEqualTo(Principal.of(ServerId.of(7, 7)));
  }

  @Test
  void anApplicationsSecretMakesNoMember() {
    Rig server = server();
    ClientRig client =
        client(
            Rig.IDENTITY.id(),
            Credentials.ofMember(ServerId.of(7, 7), ClusterKey.of(List.of(SECRET))));
    exchange(client, server);
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void whoComesBeforeTheCoordinatorsWordWaitsForIt() {
    CompletableFuture<Verifier> later = new CompletableFuture<>();
    known = later;
    Rig server = server();
    ClientRig client = application(SECRET);
    exchange(client, server);
    assertThat(client.session.events).isEmpty();

    later.complete(Keys.ofApplication(APPLICATION, SECRET).verifier());
    server.output.runTasks();
    exchange(client, server);
    assertThat(client.session.events).hasSize(1);
  }

  @Test
  void whoComesWithoutTheCoordinatorsWordIsToldSoInTheEnd() {
    known = new CompletableFuture<>();
    Rig server = server();
    ClientRig client = application(SECRET);
    exchange(client, server);

    server.protocol.tick(TimeUnit.SECONDS.toNanos(11));
    client.feed(server.output.takeSent());
    assertThat(client.session.code()).isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
    assertThat(known).isCancelled();
    assertThat(counted).containsExactly("UNKNOWN_APPLICATION");
  }

  @Test
  void whoGoesWhileWaitingLeavesNothingBehind() {
    known = new CompletableFuture<>();
    Rig server = server();
    exchange(application(SECRET), server);
    server.protocol.disconnected(null);
    assertThat(known).isCancelled();
  }

  @Test
  void aRecordedProofIsWorthNothing() {
    Rig server = server();
    ClientRig client = application(SECRET);
    byte[] hello = client.output.takeSent();
    server.feed(hello);
    client.feed(server.output.takeSent());
    byte[] proof = client.output.takeSent();
    server.feed(proof);
    assertThat(server.link).isNotNull();

    Rig again = server();
    again.feed(hello);
    again.output.takeSent();
    again.feed(proof);
    assertThat(again.error()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void aProofForOneChannelIsNoneForAnother() {
    Rig server = server();
    server.output.bindTo(new byte[] {1});
    ClientRig client = application(SECRET);
    client.output.bindTo(new byte[] {2});
    exchange(client, server);
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void aProofIsNotGivenToAnotherServerThanTheOneMeant() {
    // The server meant is behind this one, which passes everything on but HELLO's expectation.
    Rig server = server();
    ClientRig whoever = client(null, Credentials.ofApplication(APPLICATION, SECRET));
    server.feed(whoever.output.takeSent());
    byte[] challenge = server.output.takeSent();

    ClientRig client = client(ServerId.of(8, 8), Credentials.ofApplication(APPLICATION, SECRET));
    client.output.takeSent();
    client.feed(challenge);
    assertThat(client.session.code()).isEqualTo(ErrorCode.WRONG_SERVER);
  }

  @Test
  void aServerThatAsksForNoProofIsNotBelieved() {
    ClientRig client = application(SECRET);
    client.output.takeSent();
    client.feed(ServerBytes.welcome());
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void aServerThatWasNotToldAboutTheApplicationIsNotBelieved() {
    Rig server = server();
    ClientRig client = application(SECRET);
    server.feed(client.output.takeSent());
    client.feed(server.output.takeSent());
    client.feed(ServerBytes.welcome(new byte[32]));
    assertThat(client.session.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
  }

  @Test
  void flippedBitsAnywhereInTheHandshakeAreNoticed() {
    Random random = new Random(3);
    for (int round = 0; round < 500; round++) {
      known = CompletableFuture.completedFuture(Keys.ofApplication(APPLICATION, SECRET).verifier());
      Rig server = server();
      ClientRig client = application(SECRET);
      int turn = random.nextInt(4);
      for (int i = 0; i < 4; i++) {
        byte[] sent = i % 2 == 0 ? client.output.takeSent() : server.output.takeSent();
        if (i == turn) {
          flip(random, sent, i == 3);
        }
        if (i % 2 == 0) {
          server.feed(sent);
        } else {
          client.feed(sent);
        }
      }
      assertThat(client.session.events.stream().filter(e -> e.startsWith("connected")))
          .as("round %s, turn %s", round, turn)
          .isEmpty();
    }
  }

  /** One bit of a body: what is in the frame's header is checked elsewhere. */
  private static void flip(Random random, byte[] sent, boolean welcome) {
    int from = sent.length - 1;
    int body = FrameHeader.LENGTH + (sent.length > 100 || startsWithMagic(sent) ? 8 : 0);
    if (welcome) {
      // Of WELCOME only the proof is protected without TLS; a byte follows it.
      from = sent.length - 33;
      body = from;
    }
    int at = welcome ? body + random.nextInt(32) : body + random.nextInt(from - body + 1);
    sent[at] ^= (byte) (1 << random.nextInt(8));
  }

  private static boolean startsWithMagic(byte[] sent) {
    return Arrays.equals(Arrays.copyOf(sent, 8), Rig.magic());
  }

  @Test
  void anyBytesForAnAnswerAreRefused() {
    Random random = new Random(5);
    for (int round = 0; round < 300; round++) {
      Rig server = server();
      ClientRig client = application(SECRET);
      server.feed(client.output.takeSent());
      server.output.takeSent();
      byte[] answer = new byte[1 + random.nextInt(1024)];
      random.nextBytes(answer);
      server.feed(Rig.frame(FrameType.AUTHENTICATE, 0, 0, answer));
      assertThat(server.error()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED);
    }
  }

  @Test
  void anyBytesForAChallengeAreRefusedOrAnsweredInVain() {
    Random random = new Random(6);
    for (int round = 0; round < 300; round++) {
      ClientRig client = application(SECRET);
      client.output.takeSent();
      byte[] challenge = new byte[1 + random.nextInt(1024)];
      random.nextBytes(challenge);
      client.feed(Rig.join(Rig.magic(), Rig.frame(FrameType.CHALLENGE, 0, 0, challenge)));
      assertThat(client.session.code())
          .isIn(ErrorCode.AUTHENTICATION_FAILED, ErrorCode.WRONG_SERVER);
    }
  }

  private static void exchange(ClientRig client, Rig server) {
    for (int round = 0; round < 4; round++) {
      server.feed(client.output.takeSent());
      client.feed(server.output.takeSent());
    }
  }
}
