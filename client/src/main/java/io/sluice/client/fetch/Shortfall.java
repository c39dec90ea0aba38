package io.sluice.client.fetch;

import io.sluice.client.Gap;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says what a read lacks, who was asked for it and what they said. */
final class Shortfall {
  private static final int NAMED_IN_MESSAGE = 3;

  private Shortfall() {}

  /**
   * What to throw when every server was asked and something did not come: a {@link
   * MissingBlocksException}, unless a server that may have it had no room.
   *
   * @param wanting requests that did not bring all they were to bring; a server with many is named
   *     once for each thing that it said, and complained about once
   */
  static SluiceException of(
      ShuffleKey shuffle, Completeness completeness, List<ServerFetch> wanting) {
    SluiceException full = noRoom(shuffle, wanting);
    if (full != null) {
      return full;
    }
    List<MissingMap> maps = completeness.missing();
    ErrorCode code = ErrorCode.DATA_LOST;
    StringBuilder message =
        new StringBuilder("shuffle ")
            .append(shuffle)
            .append(": ")
            .append(maps.size())
            .append(" map outputs are not whole: ");
    for (MissingMap map : maps.subList(0, Math.min(NAMED_IN_MESSAGE, maps.size()))) {
      message.append(map).append(" block ").append(completeness.firstAbsent(map)).append("; ");
    }
    List<Complaint> complaints = new ArrayList<>();
    Set<Integer> blamed = new HashSet<>();
    Set<String> accounts = new LinkedHashSet<>();
    Set<PlacedServer> laterLives = new LinkedHashSet<>();
    boolean outOfReach = !wanting.isEmpty();
    for (ServerFetch fetch : wanting) {
      accounts.add(fetch.account());
      fetch.connection().laterLife(fetch.server()).ifPresent(laterLives::add);
      SluiceException failure = fetch.failure();
      if (failure != null && isAtFault(failure.code())) {
        outOfReach &= fetch.damage().last() == null;
        if (blamed.add(fetch.index())) {
          complaints.add(Complaint.ofServer(fetch.server(), failure.code()));
        }
      } else {
        outOfReach = false;
      }
      code = codeOf(fetch, code);
    }
    message.append("asked ").append(String.join(", ", accounts));
    Gap gap = Gap.of(shuffle, maps).withLaterLives(List.copyOf(laterLives));
    return new MissingBlocksException(
        code,
        outOfReach ? gap.outOfReach(complaints) : gap.withSilent(complaints),
        message.toString());
  }

  /** A server that lives and has no room for the reader has lost nothing. */
  private static @Nullable SluiceException noRoom(ShuffleKey shuffle, List<ServerFetch> wanting) {
    for (ServerFetch fetch : wanting) {
      SluiceException failure = fetch.failure();
      if (failure != null && failure.code().blame() == Blame.CAPACITY) {
        return new SluiceException(
            failure.code(),
            "shuffle " + shuffle + " cannot be read now, asked " + fetch.account(),
            failure);
      }
    }
    return null;
  }

  private static boolean isAtFault(ErrorCode code) {
    switch (code) {
      case CONNECT_FAILED:
      case CONNECTION_LOST:
      case TIMED_OUT:
      case SHUTTING_DOWN:
      case WRONG_SERVER:
        return true;
      default:
        // The server answered: it has lost something, but it works.
        return false;
    }
  }

  private static ErrorCode codeOf(ServerFetch fetch, ErrorCode otherwise) {
    SluiceException failure = fetch.failure();
    if (fetch.damage().last() != null) {
      return ErrorCode.CORRUPT_BLOCK;
    }
    return failure != null && otherwise == ErrorCode.DATA_LOST ? failure.code() : otherwise;
  }
}
