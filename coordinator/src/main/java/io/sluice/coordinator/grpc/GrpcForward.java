package io.sluice.coordinator.grpc;

import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.tls.TlsContexts;
import io.sluice.coordinator.rest.Call;
import io.sluice.coordinator.rest.LeaderForward;
import io.sluice.coordinator.rest.Role;
import io.sluice.http.Answer;
import io.sluice.proto.auth.ControlKey;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.error.ErrorTrailer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the leader over gRPC as a member of the cluster. Keeps one channel, to whoever led last, and
 * those that were left until their last calls have ended; its thread begins with the first call.
 * Thread-safe.
 */
public final class GrpcForward implements LeaderForward {
  /** Shorter than the time that HTTP gives a request as a whole. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private static final long STOP_SECONDS = 2;

  /**
   * Of calls under way, those that wait for something to happen: a leader takes 256 calls of a
   * connection at a time, and others are not to queue behind watches. Callers that have gone leave
   * theirs behind until its time is over.
   */
  static final int WAITING = 128;

  private final EventLoopGroup thread =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("sluice-forward", true), NioIoHandler.newFactory());
  private final List<ClientInterceptor> identity;
  private final Optional<SslContext> tls;
  private final Duration deadline;
  // Guarded by this.
  private @Nullable String target;
  private @Nullable ManagedChannel channel;
  // Shut down, and perhaps with calls under way: a call leaves one at most, and lasts for a
  // deadline.
  private final Set<ManagedChannel> left = new HashSet<>();
  private int waiting;
  private boolean closed;

  public GrpcForward(SecurityConfig security) {
    this(security, DEADLINE);
  }

  /**
   * @param deadline of each call
   */
  GrpcForward(SecurityConfig security, Duration deadline) {
    this.deadline = deadline;
    this.identity =
        security.clusterKey().map(key -> ControlKey.attach(key.own().controlKey())).stream()
            .toList();
    this.tls = security.tls().map(TlsContexts::grpcClient);
  }

  @Override
  public CompletionStage<Answer> forward(String leader, Call call) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    RestCall request =
        RestCall.newBuilder()
            .setMethod(call.method())
            .setPath(call.path())
            .setQuery(call.query())
            .setBody(ByteString.copyFrom(call.body()))
            .setReadOnly(call.role() != Role.ADMIN)
            .setWho(call.caller().who())
            .setAskedFrom(call.caller().from())
            .build();
    // Under the lock, so that nobody shuts the channel down before the call has begun. Nothing here
    // waits, nor do those whose answers gRPC may complete on the way.
    synchronized (this) {
      ManagedChannel asked = channel(leader);
      if (call.waits()) {
        admitWaiting(answer);
      }
      ClusterServiceGrpc.newStub(asked)
          .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS)
          .callRest(request, new Asked(leader, asked, answer));
    }
    return answer;
  }

  // Guarded by this.
  private void admitWaiting(CompletionStage<Answer> answer) {
    if (waiting == WAITING) {
      throw new SluiceException(
          ErrorCode.TOO_MANY_STREAMS, WAITING + " callers wait for the leader here already");
    }
    waiting++;
    answer.whenComplete(
        (said, failure) -> {
          synchronized (this) {
            waiting--;
          }
        });
  }

  /** One call. */
  private final class Asked implements StreamObserver<RestAnswer> {
    private final String leader;
    private final ManagedChannel asked;
    private final CompletableFuture<Answer> answer;

    Asked(String leader, ManagedChannel asked, CompletableFuture<Answer> answer) {
      this.leader = leader;
      this.asked = asked;
      this.answer = answer;
    }

    @Override
    public void onNext(RestAnswer said) {
      answer.complete(
          new Answer(
              said.getStatus(), said.getContentType(), Map.of(), said.getBody().toByteArray()));
    }

    @Override
    public void onError(Throwable failure) {
      if (isUnreachable(failure)) {
        leave(asked);
      }
      String what =
          ErrorTrailer.read(failure)
              .map(refusal -> " refuses: " + refusal.getMessage())
              .orElseGet(() -> " does not answer: " + failure.getMessage());
      answer.completeExceptionally(
          new SluiceException(
              ErrorCode.COORDINATOR_UNAVAILABLE, "the leader " + leader + what, failure));
    }

    @Override
    public void onCompleted() {
      // The answer has come; without one this is what there is to say.
      answer.completeExceptionally(
          new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, leader + " said nothing"));
    }
  }

  /** Whether it is the way that failed, or nobody at its end: a refusal came over a good one. */
  private static boolean isUnreachable(Throwable failure) {
    Status.Code code = Status.fromThrowable(failure).getCode();
    return (code == Status.Code.UNAVAILABLE || code == Status.Code.DEADLINE_EXCEEDED)
        && ErrorTrailer.read(failure).isEmpty();
  }

  // Guarded by this.
  private ManagedChannel channel(String leader) {
    if (closed) {
      throw new SluiceException(ErrorCode.SHUTTING_DOWN, "this coordinator stops");
    }
    if (channel != null && leader.equals(target)) {
      return channel;
    }
    if (channel != null) {
      leave(channel);
    }
    NettyChannelBuilder builder =
        NettyChannelBuilder.forTarget(leader)
            .eventLoopGroup(thread)
            .channelType(NioSocketChannel.class)
            .directExecutor()
            .intercept(identity)
            .disableRetry();
    ManagedChannel opened = tls.map(builder::sslContext).orElseGet(builder::usePlaintext).build();
    channel = opened;
    target = leader;
    return opened;
  }

  /**
   * gRPC's own pauses after a failure grow to two minutes and fail calls meanwhile, but a leader
   * that is back is to be reached by the next call: that one gets a channel of its own, which looks
   * the name up again and connects. Other calls under way on this one go on.
   */
  private synchronized void leave(ManagedChannel asked) {
    if (channel == asked) {
      asked.shutdown();
      channel = null;
      left.removeIf(ManagedChannel::isTerminated);
      left.add(asked);
    }
  }

  @Override
  public void close() {
    List<ManagedChannel> ending;
    synchronized (this) {
      closed = true;
      if (channel != null) {
        leave(channel);
      }
      ending = List.copyOf(left);
    }
    ending.forEach(ManagedChannel::shutdownNow);
    thread
        .shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
  }
}
