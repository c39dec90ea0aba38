package io.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.common.tls.RefusedHandshakes;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.transport.grpc.GrpcConnector;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Certificates that are wrong, missing or replaced, over both transports. */
final class TlsTest {
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 2), 3);
  private static final Path GIVEN = Path.of("../common/src/test/resources/tls");

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("tls", 2, alloc, Clock.system());
  private final List<DataServer> servers = new ArrayList<>();

  private final Path dir;

  TlsTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @AfterEach
  void stop() {
    servers.forEach(DataServer::close);
    loops.close();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
    assertThat(alloc.metric().usedHeapMemory()).isZero();
  }

  private ServerSettings plain() {
    return new ServerSettings(
        () -> IDENTITY,
        ServerAuthenticator.none(),
        new ConnectionLimits(8, 4, 2, 1 << 20),
        ConnectionTimeouts.defaults(),
        true);
  }

  private int listen(Transport transport, ServerSettings settings) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ServerSessionFactory sessions =
        (peer, link) -> new ServerSessionFactory.Accepted(new StoringSession(link), 1 << 20);
    DataServer server =
        transport == Transport.NETTY
            ? NettyServer.bind(loops, any, settings, sessions)
            : GrpcServer.bind(loops, any, settings, sessions, new ConnectionCount(8));
    servers.add(server);
    return server.address().getPort();
  }

  private RecordingClient connect(Transport transport, int port, ClientSettings settings) {
    DataConnector connector =
        transport == Transport.NETTY
            ? new NettyConnector(loops, settings, Runnable::run)
            : new GrpcConnector(loops, settings, Runnable::run);
    RecordingClient client = new RecordingClient();
    connector.connect("localhost", port, IDENTITY.id(), client);
    return client;
  }

  private static void assertConnected(RecordingClient client) throws Exception {
    client.link.get(20, TimeUnit.SECONDS);
  }

  private static ErrorCode refusal(RecordingClient client) throws Exception {
    return client.awaitClosed();
  }

  private static Tls believing(String authority) {
    return SecuredEnds.tls(Optional.empty(), authority, false);
  }

  private static Tls as(String name) {
    return SecuredEnds.tls(Optional.of(name), "authority", false);
  }

  private static ClientSettings unencrypted() {
    return new ClientSettings(
        new UUID(7, 8), ClientAuthenticator.none(), ConnectionTimeouts.defaults());
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aServerWhoseAuthorityIsNotBelievedIsNotTalkedTo(Transport transport) throws Exception {
    int port = listen(transport, SecuredEnds.server(plain(), as("first")));
    assertThat(refusal(connect(transport, port, SecuredEnds.client(believing("stranger")))))
        .isEqualTo(ErrorCode.CONNECT_FAILED);
    assertConnected(connect(transport, port, SecuredEnds.client(believing("authority"))));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aCertificateOfAnotherHostIsNotBelieved(Transport transport) throws Exception {
    int port = listen(transport, SecuredEnds.server(plain(), as("elsewhere")));
    assertThat(refusal(connect(transport, port, SecuredEnds.client(believing("authority")))))
        .isEqualTo(ErrorCode.CONNECT_FAILED);
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void whoHasNoCertificateOrAForeignOneIsTurnedAwayWhereOneIsAskedFor(Transport transport)
      throws Exception {
    Tls mutual = SecuredEnds.tls(Optional.of("first"), "authority", true);
    int port = listen(transport, SecuredEnds.server(plain(), mutual));
    refusal(connect(transport, port, SecuredEnds.client(believing("authority"))));
    refusal(connect(transport, port, SecuredEnds.client(as("foreign"))));
    assertConnected(connect(transport, port, SecuredEnds.client(as("second"))));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void whoIsTurnedAwayByTlsIsCountedAndWhoOnlyConnectsIsNot(Transport transport) throws Exception {
    Tls mutual = SecuredEnds.tls(Optional.of("first"), "authority", true);
    RefusedHandshakes refused = mutual.refused();
    int port = listen(transport, SecuredEnds.server(plain(), mutual));
    new Socket(InetAddress.getLoopbackAddress(), port).close();
    assertConnected(connect(transport, port, SecuredEnds.client(as("second"))));
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port)) {
      plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      awaitMore(refused, 0);
    }
    assertThat(refused.count()).isEqualTo(1);

    // gRPC may try more than once.
    refusal(connect(transport, port, SecuredEnds.client(believing("authority"))));
    awaitMore(refused, 1);
    long before = refused.count();
    refusal(connect(transport, port, SecuredEnds.client(as("foreign"))));
    awaitMore(refused, before);
  }

  private static void awaitMore(RefusedHandshakes refused, long before) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (refused.count() <= before) {
      assertThat(deadline - Clock.system().nanoTime()).as("time left to be counted").isPositive();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void encryptedAndPlainDoNotMix(Transport transport) throws Exception {
    int encrypted = listen(transport, SecuredEnds.server(plain(), as("first")));
    refusal(connect(transport, encrypted, unencrypted()));
    int open = listen(transport, plain());
    refusal(connect(transport, open, SecuredEnds.client(believing("authority"))));
    assertConnected(connect(transport, open, unencrypted()));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aReplacedCertificateIsForNewConnectionsAndDisturbsNoOther(Transport transport)
      throws Exception {
    put("first");
    TlsMaterial material =
        TlsMaterial.open(
            new TlsFiles(
                Optional.of(dir.resolve("own.pem")),
                Optional.of(dir.resolve("own.key")),
                Optional.of(GIVEN.resolve("authority.pem"))));
    int port = listen(transport, SecuredEnds.server(plain(), new Tls(material, false)));
    ClientSettings settings = SecuredEnds.client(believing("authority"));
    RecordingClient before = connect(transport, port, settings);
    assertConnected(before);

    // Of an authority that the client does not believe, so that the difference shows.
    put("foreign");
    material.reload();
    refusal(connect(transport, port, SecuredEnds.client(believing("authority"))));
    assertConnected(connect(transport, port, SecuredEnds.client(believing("stranger"))));

    ClientLink old = before.link.join();
    old.executor()
        .execute(
            () -> {
              old.want(1);
              old.flush();
            });
    before.await(() -> before.granted > 0);

    Files.writeString(dir.resolve("own.pem"), "broken");
    material.reload();
    assertThat(material.failures()).isEqualTo(1);
    assertConnected(connect(transport, port, SecuredEnds.client(believing("stranger"))));
  }

  private void put(String name) throws IOException {
    for (String kind : List.of("pem", "key")) {
      Files.copy(
          GIVEN.resolve(name + "." + kind),
          dir.resolve("own." + kind),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
