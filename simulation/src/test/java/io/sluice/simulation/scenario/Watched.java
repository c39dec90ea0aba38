package io.sluice.simulation.scenario;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.simulation.invariant.EpochBook;
import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import io.sluice.transport.ClientSession;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Listens to every client session: whatever one side takes for a breach of the protocol by the
 * other one is a violation, because both are ours. And to what drivers tell of epochs.
 *
 * @param epochs the book of what was told
 * @param flipped whether bits of blocks were flipped on the wire, which may look like a breach
 * @param answersStall whether two stalls on end keep an answer away for longer than a server waits
 *     for credit that it has asked for, so that an honest client seems not to read
 */
record Watched(Sabotage sabotage, EpochBook epochs, BooleanSupplier flipped, boolean answersStall)
    implements UnaryOperator<ClientSession> {
  private static final Set<ErrorCode> BREACHES =
      EnumSet.of(
          ErrorCode.BAD_MAGIC,
          ErrorCode.UNSUPPORTED_VERSION,
          ErrorCode.MALFORMED_FRAME,
          ErrorCode.FRAME_TOO_LARGE,
          ErrorCode.BLOCK_TOO_LARGE,
          ErrorCode.CORRUPT_BLOCK,
          ErrorCode.UNEXPECTED_FRAME,
          ErrorCode.CREDIT_EXCEEDED,
          ErrorCode.TOO_MANY_HANDLES,
          ErrorCode.UNKNOWN_HANDLE,
          ErrorCode.AUTHENTICATION_FAILED,
          ErrorCode.WRONG_SERVER,
          ErrorCode.PEER_NOT_READING,
          ErrorCode.INTERNAL_ERROR);

  /** What flipped bits of a block's header may look like. */
  private static final Set<ErrorCode> OF_FLIPPED_BITS =
      EnumSet.of(ErrorCode.MALFORMED_FRAME, ErrorCode.BLOCK_TOO_LARGE, ErrorCode.CORRUPT_BLOCK);

  @Override
  public ClientSession apply(ClientSession session) {
    return new Listening(sabotage.session(session));
  }

  /** A driver whose answers to a process are noted. */
  PlacementSource told(String process, PlacementSource driver) {
    return new PlacementSource() {
      @Override
      public CompletionStage<ShufflePlacement> atLeast(
          ShuffleKey shuffle, int wanted, List<Complaint> complaints) {
        return driver
            .atLeast(shuffle, wanted, complaints)
            .thenApply(
                placement -> {
                  epochs.told(process, placement);
                  return placement;
                });
      }

      @Override
      public boolean hearsOfServers() {
        return driver.hearsOfServers();
      }

      @Override
      public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
        return driver.whereabouts(server);
      }
    };
  }

  private boolean isExcused(ErrorCode code) {
    return code == ErrorCode.PEER_NOT_READING
        ? answersStall
        : flipped.getAsBoolean() && OF_FLIPPED_BITS.contains(code);
  }

  private final class Listening extends ForwardingSession {
    Listening(ClientSession session) {
      super(session);
    }

    @Override
    public void closed(SluiceException cause) {
      ErrorCode code = cause.code();
      if (BREACHES.contains(code) && !isExcused(code)) {
        throw new Violation(Invariant.CREDIT_CONSERVED, "protocol broken", cause);
      }
      super.closed(cause);
    }
  }
}
