package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A server half on its own, fed with bytes. */
final class Rig {
  static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 2), 3);
  static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(4, 5), 6, 7);
  static final int MAX_BLOCK = 64 * 1024;
  static final int MAX_HANDLES = 8;
  static final int MAX_STREAMS = 4;
  static final long SEED = 1 << 20;

  /** Bytes come at an odd offset, so that nobody mistakes the buffer's start for theirs. */
  private final ByteBuffer scratch = ByteBuffer.allocate(64 * 1024);

  final MemoryOutput output;
  final ServerLog session = new ServerLog();
  final ServerProtocol protocol;
  @Nullable ServerLink link;
  private @Nullable PeerInfo info;

  Rig() {
    this(MemoryOutput.unbounded(), ServerAuthenticator.none());
  }

  Rig(MemoryOutput output, ServerAuthenticator authenticator) {
    this.output = output;
    ServerSessionFactory sessions =
        (peer, accepted) -> {
          link = accepted;
          info = peer;
          return new ServerSessionFactory.Accepted(session, SEED);
        };
    this.protocol = new ServerProtocol(settings(authenticator), sessions, output);
    protocol.start(0);
  }

  static ServerSettings settings(ServerAuthenticator authenticator) {
    return new ServerSettings(
        () -> IDENTITY,
        authenticator,
        new ConnectionLimits(10, MAX_HANDLES, MAX_STREAMS, MAX_BLOCK),
        ConnectionTimeouts.defaults(),
        true);
  }

  /** A server whose client has been welcomed; what it has sent so far is taken. */
  static Rig open() {
    Rig rig = new Rig();
    rig.feed(preface());
    rig.output.takeSent();
    return rig;
  }

  ServerLink link() {
    if (link == null) {
      throw new AssertionError("not accepted");
    }
    return link;
  }

  /** What the handshake found out. */
  PeerInfo peer() {
    if (info == null) {
      throw new AssertionError("not accepted");
    }
    return info;
  }

  void feed(byte[] bytes) {
    feed(bytes, 0, bytes.length);
  }

  void feed(byte[] bytes, int offset, int length) {
    int capacity = scratch.capacity() - 3;
    for (int done = 0; done < length; done += capacity) {
      int piece = Math.min(capacity, length - done);
      scratch.clear().position(3);
      scratch.put(bytes, offset + done, piece);
      protocol.receive(scratch, 3, piece);
    }
    protocol.readComplete();
  }

  /** The code of the ERROR frame that ends what was sent, or null if there is none. */
  @Nullable ErrorCode error() {
    List<Frame> frames = frames(output.takeSent());
    if (frames.isEmpty() || frames.get(frames.size() - 1).type != FrameType.ERROR) {
      return null;
    }
    return ErrorCode.ofNumber(frames.get(frames.size() - 1).argument);
  }

  /** Magic and HELLO of a client without authentication. */
  static byte[] preface() {
    return join(magic(), bytes(hello(1, Protocol.MAX_VERSION, null, 0).encode(buffer())));
  }

  static byte[] magic() {
    return bytes(Frames.magic(buffer()));
  }

  static Hello hello(int min, int max, @Nullable ServerId expected, int scheme) {
    return new Hello(min, max, new UUID(9, 9), expected, scheme, new byte[] {1, 2});
  }

  static ByteBuf buffer() {
    return Unpooled.buffer();
  }

  static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    buffer.release();
    return bytes;
  }

  static byte[] header(int type, int subject, int argument, int length) {
    return ByteBuffer.allocate(FrameHeader.LENGTH)
        .putInt(length)
        .putInt(type << 24)
        .putInt(subject)
        .putInt(argument)
        .array();
  }

  static byte[] frame(FrameType type, int subject, int argument, byte[]... body) {
    byte[] whole = join(body);
    return join(header(type.code(), subject, argument, whole.length), whole);
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** Parses what a side has sent, its magic skipped. */
  static List<Frame> frames(byte[] sent) {
    ByteBuffer in = ByteBuffer.wrap(sent);
    if (in.remaining() >= 8 && in.getLong(0) == FrameHeader.MAGIC) {
      in.position(8);
    }
    List<Frame> frames = new ArrayList<>();
    while (in.hasRemaining()) {
      int at = in.position();
      FrameType type = FrameHeader.check(in, at);
      byte[] body = new byte[FrameHeader.bodyLength(in, at)];
      in.position(at + FrameHeader.LENGTH);
      in.get(body);
      frames.add(
          new Frame(
              type,
              FrameHeader.subject(in, at),
              FrameHeader.argument(in, at),
              ByteBuffer.wrap(body)));
    }
    return frames;
  }

  record Frame(FrameType type, int subject, int argument, ByteBuffer body) {}
}
