package io.sluice.transport.session;

import io.netty.util.collection.IntObjectHashMap;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.frame.ReplicaFrames;
import io.sluice.transport.frame.Welcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's side of a connection: checks what a client says and hands it to the session. */
public final class ServerProtocol extends Protocol {
  private static final Object OPEN = new Object();

  private static final Logger log = LoggerFactory.getLogger(ServerProtocol.class);

  private final ServerSettings settings;
  private final ServerSessionFactory sessions;
  private final ServerHandshake handshake;
  private final ServerWriter writer;
  private final Runnable whenAccepted;
  private final IntObjectHashMap<Object> handles = new IntObjectHashMap<>();
  private int lastHandle = -1;
  private int lastStream = -1;
  private boolean spoken;
  // The client's proof is there, and what it is checked by is not.
  private boolean judging;
  private @Nullable Accepted accepted;

  public ServerProtocol(ServerSettings settings, ServerSessionFactory sessions, Output output) {
    this(settings, sessions, output, () -> {});
  }

  /**
   * @param whenAccepted runs when the client has proved itself, on the event loop
   */
  public ServerProtocol(
      ServerSettings settings,
      ServerSessionFactory sessions,
      Output output,
      Runnable whenAccepted) {
    super(output, settings.timeouts(), TransportLimits.MAX_DATA_BYTES);
    this.whenAccepted = whenAccepted;
    this.settings = settings;
    this.sessions = sessions;
    this.handshake = new ServerHandshake(settings, output::binding);
    this.writer = new ServerWriter(outbox, this::fail);
  }

  /** Turns the connection away before it has said anything. */
  public void refuse(ErrorCode code, String message) {
    fail(new SluiceException(code, message));
  }

  /** Asks the client to finish and go; the connection goes on until it does. */
  public void goAway() {
    if (phase() == Phase.OPEN) {
      Frames.empty(outbox.small(), FrameType.GOAWAY, 0, 0);
      outbox.flush();
    }
  }

  /** What waits for a client are leases on chunks, which others need. */
  @Override
  boolean endsWhoTakesNothing() {
    return true;
  }

  @Override
  boolean inHandshake(FrameType type) {
    return type == FrameType.HELLO || type == FrameType.AUTHENTICATE;
  }

  @Override
  boolean inOpen(FrameType type) {
    return type.sentByClient() && !inHandshake(type);
  }

  @Override
  void bulkBegin(int handle, int blocks, int length) {
    checkHandle(handle);
    accepted().cutter.begin(handle, blocks, length);
  }

  @Override
  public void bulkPart(ByteBuffer bytes, int offset, int length) {
    accepted().cutter.part(bytes, offset, length);
  }

  @Override
  public void bulkEnd() {
    accepted().cutter.end();
  }

  @Override
  void frame(FrameType type, int subject, int argument, ByteBuffer bytes, int offset, int length) {
    switch (type) {
      case HELLO:
        handshake.hello(Hello.decode(bytes, offset, length));
        challengeOrAccept();
        break;
      case AUTHENTICATE:
        judged(handshake.answer(Frames.bytes(bytes, offset, length)).toCompletableFuture());
        break;
      case OPEN:
        open(subject, bytes, offset, length);
        break;
      case RELEASE:
        checkHandle(subject);
        handles.remove(subject);
        session().release(subject);
        break;
      case WANT:
        session().want(Frames.credit(type, bytes, offset));
        break;
      case RETURN:
        session().creditReturned(Frames.credit(type, bytes, offset));
        break;
      case FETCH:
        fetch(Frames.fetched(subject, argument, bytes, offset));
        break;
      case INVENTORY:
        inventory(subject, argument, Frames.inventoried(bytes, offset));
        break;
      case FETCH_CREDIT:
        if (writer.isOpen(subject)) {
          session().fetchCredit(subject, Frames.credit(type, bytes, offset));
        }
        break;
      case FETCH_CANCEL:
        if (writer.streamCancelled(subject)) {
          session().fetchCancel(subject);
        }
        break;
      case DAMAGED:
        damaged(subject, Frames.damagedBlock(bytes, offset));
        break;
      default:
        throw new AssertionError(type);
    }
  }

  private void damaged(int stream, DamagedBlock block) {
    if (stream > lastStream) {
      throw new SluiceException(
          ErrorCode.UNEXPECTED_FRAME, "stream " + stream + " was never asked for");
    }
    session().damaged(stream, block);
  }

  private void judged(CompletableFuture<Void> verdict) {
    if (verdict.isDone()) {
      goOn(verdict);
      return;
    }
    judging = true;
    CompletableFuture<?> unused =
        verdict.whenComplete(
            (right, wrong) -> {
              if (!verdict.isCancelled()) {
                executor().execute(() -> guarded(() -> goOn(verdict)));
              }
            });
  }

  private void goOn(CompletableFuture<Void> verdict) {
    judging = false;
    try {
      verdict.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SluiceException) {
        SluiceException refused = (SluiceException) e.getCause();
        throw new SluiceException(refused.code(), refused.detail(), refused);
      }
      throw e;
    }
    challengeOrAccept();
  }

  private void challengeOrAccept() {
    byte[] challenge = handshake.challenge();
    if (challenge != null) {
      speak();
      Frames.opaque(outbox.small(), FrameType.CHALLENGE, challenge);
      return;
    }
    int version = handshake.version();
    writer.agreed(version);
    PeerInfo info =
        new PeerInfo(
            handshake.peer().process(),
            version,
            peer(),
            handshake.principal(),
            handshake.speaker());
    ServerSessionFactory.Accepted made = sessions.accept(info, writer);
    int maxBlockBytes = settings.limits().maxBlockBytes();
    accepted =
        new Accepted(
            made.session(),
            new BlockCutter(
                made.session(), maxBlockBytes, settings.verifyCrc(), outbox.output().alloc()));
    speak();
    Welcome welcome =
        new Welcome(
            version,
            settings.identity(),
            made.seedCredit(),
            maxBlockBytes,
            settings.limits().maxHandles(),
            settings.limits().maxStreams(),
            handshake.proof());
    welcome.encode(outbox.small());
    opened(version);
    whenAccepted.run();
  }

  /** The magic goes before the first frame, whichever that is. */
  private void speak() {
    if (!spoken) {
      spoken = true;
      Frames.magic(outbox.small());
    }
  }

  @Override
  void tellOfAdmitted(String doing, SluiceException why) {
    long unsaid = settings.endings().next();
    if (unsaid > 0) {
      log.info("closed or dropped {} more connections that are not said one by one", unsaid);
    }
    if (unsaid >= 0) {
      super.tellOfAdmitted(doing, why);
    }
  }

  @Override
  SluiceException handshakeLate() {
    return judging
        ? new SluiceException(
            ErrorCode.UNKNOWN_APPLICATION,
            "no coordinator has told this server about " + handshake.principal())
        : super.handshakeLate();
  }

  @Override
  void beforeFailure() {
    speak();
  }

  private void open(int handle, ByteBuffer bytes, int offset, int length) {
    ShuffleKey shuffle = Frames.openedShuffle(bytes, offset);
    long incarnation = Frames.openedIncarnation(bytes, offset);
    List<ReplicaMember> others = ReplicaFrames.others(bytes, offset, length);
    if (handle <= lastHandle) {
      throw new SluiceException(
          ErrorCode.UNEXPECTED_FRAME, "handle " + handle + " after " + lastHandle);
    }
    if (handles.size() >= settings.limits().maxHandles()) {
      throw new SluiceException(
          ErrorCode.TOO_MANY_HANDLES, "at most " + settings.limits().maxHandles() + " may be open");
    }
    lastHandle = handle;
    handles.put(handle, OPEN);
    session().open(handle, shuffle, incarnation, others);
  }

  private void checkHandle(int handle) {
    if (!handles.containsKey(handle)) {
      throw new SluiceException(ErrorCode.UNKNOWN_HANDLE, "handle " + handle + " is not open");
    }
  }

  private void fetch(FetchRequest request) {
    if (begins(request.stream(), request.handle())) {
      session().fetch(request);
    }
  }

  private void inventory(int stream, int handle, int firstMap) {
    if (begins(stream, handle)) {
      session().inventory(stream, handle, firstMap);
    }
  }

  /** Whether a new stream may go on; if not, it has failed. */
  private boolean begins(int stream, int handle) {
    checkHandle(handle);
    if (stream <= lastStream) {
      throw new SluiceException(
          ErrorCode.UNEXPECTED_FRAME, "stream " + stream + " after " + lastStream);
    }
    lastStream = stream;
    boolean tooMany = writer.openStreams() >= settings.limits().maxStreams();
    writer.streamOpened(stream);
    if (tooMany) {
      writer.streamFailed(
          stream,
          ErrorCode.TOO_MANY_STREAMS,
          "at most " + settings.limits().maxStreams() + " may be open on a connection");
    }
    return !tooMany;
  }

  @Override
  void peerGoesAway() {
    writer.flush();
    outbox.drain();
    outbox.flushAndShut();
    finish(new SluiceException(ErrorCode.CONNECTION_LOST, peer() + " has gone away"));
  }

  @Override
  void flush() {
    writer.flush();
  }

  @Override
  void sessionReadComplete() {
    session().readComplete();
  }

  @Override
  void sessionWritable() {
    session().writable();
  }

  @Override
  void sessionClosed(SluiceException cause) {
    handshake.close();
    if (accepted != null) {
      accepted.cutter.close();
      accepted.session.closed();
    }
  }

  private ServerSession session() {
    return accepted().session;
  }

  private Accepted accepted() {
    if (accepted == null) {
      throw new IllegalStateException("not accepted yet");
    }
    return accepted;
  }

  private static final class Accepted {
    final ServerSession session;
    final BlockCutter cutter;

    Accepted(ServerSession session, BlockCutter cutter) {
      this.session = session;
      this.cutter = cutter;
    }
  }
}
