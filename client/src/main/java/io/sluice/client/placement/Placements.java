package io.sluice.client.placement;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The newest placement that a process knows of each shuffle. Whoever needs a newer one asks here:
 * one request is under way for a shuffle at a time, and all who need one share it. What it is
 * refused is the answer to those who complain of the same: others ask for themselves then, once,
 * whoever else does. Thread-safe.
 *
 * <p>An entry is a hint: one that was evicted is learnt again by asking.
 */
public final class Placements {
  /** More shuffles than a process works on at a time; an entry is about as large as a placement. */
  private static final int MAX_SHUFFLES = 256;

  private final @Nullable PlacementSource source;

  // Guarded by itself; in order of use.
  private final Map<ShuffleKey, Known> known =
      new LinkedHashMap<ShuffleKey, Known>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ShuffleKey, Known> eldest) {
          return size() > MAX_SHUFFLES;
        }
      };

  private Placements(@Nullable PlacementSource source) {
    this.source = source;
  }

  public static Placements from(PlacementSource source) {
    return new Placements(source);
  }

  /** Placements that never change: an engine without anybody to ask. */
  public static Placements fixed() {
    return new Placements(null);
  }

  /** Whether there may ever be a newer placement. */
  public boolean canChange() {
    return source != null;
  }

  /** The newest placement known of a shuffle: the given one, or one that begins with it. */
  public ShufflePlacement newest(ShufflePlacement given) {
    if (source == null) {
      return given;
    }
    synchronized (known) {
      return entry(given).newest;
    }
  }

  /**
   * A placement with at least so many epochs, known or asked for.
   *
   * @param given what the caller has
   * @param complaints what is wrong with the newest epoch, if it is to be replaced
   * @return as {@link PlacementSource#atLeast}; NO_SERVERS where nobody can be asked
   */
  public CompletionStage<ShufflePlacement> atLeast(
      ShufflePlacement given, int epochs, List<Complaint> complaints) {
    return atLeast(given, epochs, complaints, true);
  }

  /**
   * @param share whether an answer to another's complaints will do
   */
  private CompletionStage<ShufflePlacement> atLeast(
      ShufflePlacement given, int epochs, List<Complaint> complaints, boolean share) {
    PlacementSource asked = source;
    if (asked == null) {
      return CompletableFuture.failedFuture(
          new SluiceException(
              ErrorCode.NO_SERVERS, "shuffle " + given.shuffle() + " has no other placement"));
    }
    CompletableFuture<ShufflePlacement> request;
    synchronized (known) {
      Known entry = entry(given);
      if (entry.newest.epochs() >= epochs) {
        return CompletableFuture.completedFuture(entry.newest);
      }
      Request underWay = entry.underWay;
      if (underWay != null && share) {
        boolean same =
            !underWay.look && Set.copyOf(underWay.complaints).equals(Set.copyOf(complaints));
        return afterAnother(underWay, given, epochs, complaints, same);
      }
      request = new CompletableFuture<>();
      if (underWay == null) {
        entry.underWay = new Request(request, complaints, false);
      }
    }
    ask(asked, given, epochs, complaints)
        .whenComplete((answer, failure) -> answered(given, epochs, request, answer, failure));
    return request;
  }

  /**
   * @param same whether the other one complains of the same
   */
  private CompletionStage<ShufflePlacement> afterAnother(
      Request other, ShufflePlacement given, int epochs, List<Complaint> complaints, boolean same) {
    return other
        .answer
        .handle(
            (answer, refused) -> {
              if (answer != null) {
                // It may be too old for us still; then it is our turn to ask.
                return atLeast(answer, epochs, complaints, true);
              }
              return same ? other.answer : atLeast(given, epochs, complaints, other.look);
            })
        .thenCompose(next -> next);
  }

  /**
   * Looks whether whoever makes epochs has a reason for one that this process does not know, and
   * {@link #newest} has it then. Nobody waits for the answer. Where that is not {@link
   * PlacementSource#hearsOfServers heard of}, or a question about the shuffle is under way, nobody
   * is asked.
   */
  public void look(ShufflePlacement given) {
    PlacementSource asked = source;
    if (asked == null || !asked.hearsOfServers()) {
      return;
    }
    CompletableFuture<ShufflePlacement> request = new CompletableFuture<>();
    ShufflePlacement newest;
    synchronized (known) {
      Known entry = entry(given);
      if (entry.underWay != null) {
        return;
      }
      entry.underWay = new Request(request, List.of(), true);
      newest = entry.newest;
    }
    int epochs = newest.epochs() + 1;
    ask(asked, newest, epochs, List.of())
        .whenComplete((answer, refused) -> answered(newest, epochs, request, answer, refused));
  }

  /**
   * As {@link PlacementSource#whereabouts}, but that it never fails; UNKNOWN where there is none.
   */
  public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    PlacementSource asked = source;
    if (asked == null) {
      return CompletableFuture.completedFuture(Whereabouts.UNKNOWN);
    }
    try {
      return asked.whereabouts(server).exceptionally(failure -> Whereabouts.UNKNOWN);
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(Whereabouts.UNKNOWN);
    }
  }

  private static CompletionStage<ShufflePlacement> ask(
      PlacementSource source, ShufflePlacement given, int epochs, List<Complaint> complaints) {
    try {
      return source.atLeast(given.shuffle(), epochs, complaints);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answered(
      ShufflePlacement given,
      int epochs,
      CompletableFuture<ShufflePlacement> request,
      @Nullable ShufflePlacement answer,
      @Nullable Throwable failure) {
    ShufflePlacement newer = answer != null && answer.epochs() >= epochs ? answer : null;
    synchronized (known) {
      Known entry = entry(newer != null ? newer : given);
      if (entry.underWay != null && entry.underWay.answer == request) {
        entry.underWay = null;
      }
    }
    if (newer != null) {
      request.complete(newer);
    } else if (failure != null) {
      request.completeExceptionally(failure);
    } else {
      request.completeExceptionally(
          new SluiceException(
              ErrorCode.INTERNAL_ERROR, "asked for " + epochs + " epochs, got " + answer));
    }
  }

  private Known entry(ShufflePlacement given) {
    Known entry = known.computeIfAbsent(given.shuffle(), shuffle -> new Known(given));
    if (given.epochs() > entry.newest.epochs()) {
      entry.newest = given;
    }
    return entry;
  }

  /** Drops what is known of a shuffle, whatever its generation. */
  public void forget(ApplicationId application, int shuffleId) {
    synchronized (known) {
      known
          .keySet()
          .removeIf(key -> key.shuffleId() == shuffleId && key.application().equals(application));
    }
  }

  private static final class Request {
    final CompletableFuture<ShufflePlacement> answer;
    final List<Complaint> complaints;
    // Whether nobody needs the answer: that there is none is none to who needs one.
    final boolean look;

    Request(CompletableFuture<ShufflePlacement> answer, List<Complaint> complaints, boolean look) {
      this.answer = answer;
      this.complaints = complaints;
      this.look = look;
    }
  }

  private static final class Known {
    ShufflePlacement newest;
    @Nullable Request underWay;

    Known(ShufflePlacement newest) {
      this.newest = newest;
    }
  }
}
