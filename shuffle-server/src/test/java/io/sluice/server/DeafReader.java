package io.sluice.server;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.Transport;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A client that asks for everything, says that it lives as often as it likes, and reads nothing.
 */
final class DeafReader implements AutoCloseable {
  private static final MethodDescriptor<byte[], byte[]> CONNECT =
      MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("sluice.data.v1.DataPlane/Connect")
          .build();

  private final @Nullable Socket socket;
  private final @Nullable ManagedChannel channel;
  private final @Nullable ClientCall<byte[], byte[]> call;

  DeafReader(Transport transport, int port, ShuffleKey shuffle, FetchRequest request)
      throws IOException {
    if (transport == Transport.NETTY) {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      channel = null;
      call = null;
    } else {
      socket = null;
      channel = NettyChannelBuilder.forAddress("localhost", port).usePlaintext().build();
      call = channel.newCall(CONNECT, CallOptions.DEFAULT);
      // Never asks for a message.
      call.start(new ClientCall.Listener<>() {}, new Metadata());
    }
    ByteBuf said = Frames.magic(Unpooled.buffer());
    new Hello(1, 1, UUID.randomUUID(), null, 0, new byte[0]).encode(said);
    Frames.open(said, request.handle(), shuffle, 5);
    Frames.fetch(said, request);
    send(said);
  }

  /** Says that it lives, and asks for an answer. */
  void ping() {
    try {
      send(Frames.number(Unpooled.buffer(), FrameType.PING, 0, 1));
    } catch (IOException | IllegalStateException cut) {
      // As is to be.
    }
  }

  private void send(ByteBuf frames) throws IOException {
    byte[] bytes = ByteBufUtil.getBytes(frames);
    if (socket != null) {
      socket.getOutputStream().write(bytes);
    } else if (call != null) {
      call.sendMessage(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
    }
    if (channel != null) {
      channel.shutdownNow();
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream message) {
      throw new AssertionError("a message was not asked for");
    }
  }
}
