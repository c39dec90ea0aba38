package io.sluice.transport.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A call made by hand: sends any bytes, remembers those that come. */
final class RawCall extends ClientCall.Listener<InputStream> {
  private final ClientCall<InputStream, InputStream> call;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private final CompletableFuture<Status> status = new CompletableFuture<>();
  private final boolean reads;

  /**
   * @param reads whether it asks for messages
   */
  RawCall(ManagedChannel channel, boolean reads) {
    this.reads = reads;
    call = channel.newCall(ByteStream.METHOD, CallOptions.DEFAULT);
    call.start(this, new Metadata());
    if (reads) {
      call.request(1);
    }
  }

  void send(ByteBuf bytes) {
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.readBytes(copy);
    bytes.release();
    for (int at = 0; at < copy.length; at += ByteStream.MESSAGE_BYTES) {
      send(copy, at, Math.min(ByteStream.MESSAGE_BYTES, copy.length - at));
    }
  }

  void send(byte[] bytes, int offset, int length) {
    call.sendMessage(new ByteArrayInputStream(bytes, offset, length));
  }

  Status awaitEnd() throws Exception {
    return status.get(20, TimeUnit.SECONDS);
  }

  /** Nothing more is sent. */
  void halfClose() {
    call.halfClose();
  }

  void cancel() {
    call.cancel("test", null);
  }

  synchronized byte[] receivedBytes() {
    return received.toByteArray();
  }

  ByteBuffer received() {
    return ByteBuffer.wrap(receivedBytes());
  }

  /** Waits until so many bytes have come. */
  synchronized ByteBuffer await(int bytes) throws InterruptedException {
    while (received.size() < bytes) {
      wait(20_000);
    }
    return received();
  }

  @Override
  public synchronized void onMessage(InputStream message) {
    try (InputStream bytes = message) {
      received.writeBytes(bytes.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (reads) {
      call.request(1);
    }
    notifyAll();
  }

  @Override
  public void onClose(Status ended, Metadata trailers) {
    status.complete(ended);
  }
}
