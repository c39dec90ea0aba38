package io.sluice.common.error;

import static io.sluice.common.error.Advice.ABORT;
import static io.sluice.common.error.Advice.RECOMPUTE;
import static io.sluice.common.error.Advice.RETRY_ELSEWHERE;
import static io.sluice.common.error.Advice.RETRY_HERE;
import static io.sluice.common.error.Blame.CALLER;
import static io.sluice.common.error.Blame.CAPACITY;
import static io.sluice.common.error.Blame.CORRUPTION;
import static io.sluice.common.error.Blame.INTERNAL;

import java.util.HashMap;
import java.util.Map;

/**
 * Every error that crosses a process boundary. Numbers are wire format: never reused, grouped by
 * blame (1xxx caller, 2xxx capacity, 3xxx internal, 4xxx corruption).
 */
public enum ErrorCode {
  // Caller: protocol
  BAD_MAGIC(1001, CALLER, ABORT),
  UNSUPPORTED_VERSION(1002, CALLER, ABORT),
  MALFORMED_FRAME(1003, CALLER, ABORT),
  FRAME_TOO_LARGE(1004, CALLER, ABORT),
  UNEXPECTED_FRAME(1005, CALLER, ABORT),
  BLOCK_TOO_LARGE(1006, CALLER, ABORT),
  CREDIT_EXCEEDED(1007, CALLER, ABORT),
  AUTHENTICATION_FAILED(1008, CALLER, ABORT),
  TOO_MANY_HANDLES(1009, CALLER, ABORT),
  UNKNOWN_HANDLE(1010, CALLER, ABORT),
  PEER_NOT_READING(1011, CALLER, RETRY_HERE),
  ACCESS_DENIED(1012, CALLER, ABORT),
  // Caller: state
  UNKNOWN_APPLICATION(1101, CALLER, RETRY_HERE),
  UNKNOWN_SHUFFLE(1102, CALLER, RECOMPUTE),
  STALE_INCARNATION(1103, CALLER, RECOMPUTE),
  // 1104 stood for a stale epoch, which nobody has to refuse (docs/failures.md), and was never
  // sent.
  WRONG_SERVER(1105, CALLER, RETRY_ELSEWHERE),
  NOT_LEADER(1106, CALLER, RETRY_ELSEWHERE),
  APPLICATION_ENDED(1107, CALLER, ABORT),
  // Caller: use
  INVALID_ARGUMENT(1201, CALLER, ABORT),
  INVALID_CONFIGURATION(1202, CALLER, ABORT),
  CANCELLED(1203, CALLER, ABORT),
  ADDRESS_IN_USE(1204, CALLER, RETRY_HERE),
  TOO_FEW_SERVERS(1205, CALLER, ABORT),

  NO_MEMORY(2001, CAPACITY, RETRY_ELSEWHERE),
  NO_DISK_SPACE(2002, CAPACITY, RETRY_ELSEWHERE),
  QUOTA_EXCEEDED(2003, CAPACITY, ABORT),
  NO_SERVERS(2004, CAPACITY, RETRY_HERE),
  DRAINING(2005, CAPACITY, RETRY_ELSEWHERE),
  TOO_MANY_CONNECTIONS(2006, CAPACITY, RETRY_ELSEWHERE),
  TOO_MANY_STREAMS(2007, CAPACITY, RETRY_HERE),
  PARTITION_FULL(2008, CAPACITY, RETRY_ELSEWHERE),
  CLUSTER_FULL(2009, CAPACITY, RETRY_HERE),

  INTERNAL_ERROR(3001, INTERNAL, RETRY_ELSEWHERE),
  CONNECTION_LOST(3002, INTERNAL, RETRY_HERE),
  CONNECT_FAILED(3003, INTERNAL, RETRY_ELSEWHERE),
  TIMED_OUT(3004, INTERNAL, RETRY_ELSEWHERE),
  DISK_FAILED(3005, INTERNAL, RETRY_ELSEWHERE),
  SHUTTING_DOWN(3006, INTERNAL, RETRY_ELSEWHERE),
  COORDINATOR_UNAVAILABLE(3007, INTERNAL, RETRY_HERE),
  DATA_LOST(3008, INTERNAL, RECOMPUTE),
  REPLICA_FAILED(3009, INTERNAL, RETRY_ELSEWHERE),

  CORRUPT_BLOCK(4001, CORRUPTION, RETRY_ELSEWHERE),
  CORRUPT_UNIT(4002, CORRUPTION, RETRY_ELSEWHERE),
  CORRUPT_CATALOG(4003, CORRUPTION, ABORT);

  private static final Map<Integer, ErrorCode> BY_NUMBER = new HashMap<>();

  static {
    for (ErrorCode code : values()) {
      if (BY_NUMBER.put(code.number, code) != null) {
        throw new AssertionError("error number used twice: " + code.number);
      }
    }
  }

  private final int number;
  private final Blame blame;
  private final Advice advice;

  ErrorCode(int number, Blame blame, Advice advice) {
    this.number = number;
    this.blame = blame;
    this.advice = advice;
  }

  /** The code for a number off the wire; a number from a newer peer is {@link #INTERNAL_ERROR}. */
  public static ErrorCode ofNumber(int number) {
    return BY_NUMBER.getOrDefault(number, INTERNAL_ERROR);
  }

  /**
   * The code of two numbers off the wire, of which the second says more.
   *
   * @param newer of a code that came later; 0, or one that this build does not know, says nothing
   */
  public static ErrorCode ofNumbers(int number, int newer) {
    ErrorCode known = BY_NUMBER.get(newer);
    return known == null ? ofNumber(number) : known;
  }

  /**
   * The nearest code that peers know which do not know this one, because it came after the release
   * before; itself of all others. Where both can be said, both are.
   */
  public ErrorCode forOlderPeers() {
    switch (this) {
      case APPLICATION_ENDED:
        return ACCESS_DENIED;
      case TOO_FEW_SERVERS:
        return INVALID_ARGUMENT;
      default:
        return this;
    }
  }

  /** The second number beside that of {@link #forOlderPeers}; 0 if there is none. */
  public int newerNumber() {
    return forOlderPeers() == this ? 0 : number;
  }

  public int number() {
    return number;
  }

  public Blame blame() {
    return blame;
  }

  public Advice advice() {
    return advice;
  }
}
