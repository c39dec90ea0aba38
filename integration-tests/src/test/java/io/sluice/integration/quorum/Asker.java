package io.sluice.integration.quorum;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.error.ErrorTrailer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks one coordinator for placements, whoever leads: never another one, as a client would. Each
 * call is for a shuffle that nobody has placed.
 */
public final class Asker implements AutoCloseable {
  private static final int PARTITIONS = 4;
  private static final long DEADLINE_SECONDS = 30;

  private final ManagedChannel channel;
  private final Uuid application;
  private final AtomicInteger shuffles;

  /**
   * @param application a registered one
   * @param firstShuffle its shuffles from this number on are the asker's
   */
  public Asker(HostPort coordinator, ApplicationId application, int firstShuffle) {
    this.channel =
        NettyChannelBuilder.forAddress(coordinator.host(), coordinator.port())
            .usePlaintext()
            .build();
    this.application =
        Uuid.newBuilder().setHigh(application.high()).setLow(application.low()).build();
    this.shuffles = new AtomicInteger(firstShuffle);
  }

  /**
   * What came of one question.
   *
   * @param askedNanos and the other, of {@link Until#now}
   * @param placed whether it was not refused
   * @param term of whoever placed; 0 if he does not say, or refused
   * @param refusal with what; INTERNAL_ERROR if there was no coded answer, and if it was placed
   */
  public record Answer(
      long askedNanos, long answeredNanos, boolean placed, long term, ErrorCode refusal) {}

  /** Asks once; any number may be under way. */
  public Future<Answer> ask() {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    long asked = Until.now();
    ApplicationServiceGrpc.newStub(channel)
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .createShuffle(
            CreateShuffleRequest.newBuilder()
                .setShuffle(
                    ShuffleRef.newBuilder()
                        .setApplication(application)
                        .setShuffleId(shuffles.getAndIncrement()))
                .setPartitions(PARTITIONS)
                .build(),
            new StreamObserver<CreateShuffleResponse>() {
              @Override
              public void onNext(CreateShuffleResponse placed) {
                answer.complete(
                    new Answer(
                        asked, Until.now(), true, placed.getTerm(), ErrorCode.INTERNAL_ERROR));
              }

              @Override
              public void onError(Throwable failure) {
                ErrorCode code =
                    ErrorTrailer.read(failure)
                        .map(detail -> ErrorCode.ofNumber(detail.getCode()))
                        .orElse(ErrorCode.INTERNAL_ERROR);
                answer.complete(new Answer(asked, Until.now(), false, 0, code));
              }

              @Override
              public void onCompleted() {}
            });
    return answer;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
