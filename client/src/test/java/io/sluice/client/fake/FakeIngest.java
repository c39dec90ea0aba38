package io.sluice.client.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The push half of a fake connection's server end; checks every rule of credit and numbering. */
final class FakeIngest {
  record Handle(ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {}

  private final FakeConnection connection;
  private final Map<Integer, Handle> handles = new HashMap<>();
  private final Crc32c crc = new Crc32c();
  private int lastHandle = -1;
  private long credit;
  private long nextBlock;

  FakeIngest(FakeConnection connection) {
    this.connection = connection;
  }

  void seed(long bytes) {
    credit = bytes;
  }

  void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    assertThat(handle).as("handles grow").isGreaterThan(lastHandle);
    lastHandle = handle;
    handles.put(handle, new Handle(shuffle, incarnation, others));
    connection.server.openHandles++;
  }

  void release(int handle) {
    assertThat(handles.remove(handle)).as("released handle was open").isNotNull();
    connection.server.openHandles--;
  }

  Handle handle(int handle) {
    Handle open = handles.get(handle);
    assertThat(open).as("handle %d is open", handle).isNotNull();
    return open;
  }

  /** Why a handle cannot be used, or null. */
  @Nullable ErrorCode refusal(Handle handle) {
    if (connection.server.removed.contains(handle.shuffle())) {
      return ErrorCode.UNKNOWN_SHUFFLE;
    }
    return connection.server.identity().keeps(handle.incarnation())
        ? null
        : ErrorCode.STALE_INCARNATION;
  }

  void push(int number, int blockCount, byte[] bytes) {
    Handle handle = handle(number);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int offset = 0;
    for (int i = 0; i < blockCount; i++) {
      int stored = BlockHeader.storedLength(buffer, offset);
      int length = BlockHeader.LENGTH + stored;
      long charge = TransportLimits.charge(stored);
      credit -= charge;
      assertThat(credit).as("credit").isNotNegative();
      StoredBlock block = new StoredBlock(Arrays.copyOfRange(bytes, offset, offset + length));
      answer(nextBlock++, charge, verdict(handle, block));
      offset += length;
    }
    assertThat(offset).as("blocks fill their frame").isEqualTo(bytes.length);
  }

  private @Nullable ErrorCode verdict(Handle handle, StoredBlock block) {
    Faults faults = connection.faults;
    StoredBlock arrived =
        faults.happens(faults.corruptOnWire) ? block.corrupted(faults.random.nextInt()) : block;
    if (!BlockHeader.crcMatches(arrived.buffer(), 0, crc)) {
      return ErrorCode.CORRUPT_BLOCK;
    }
    ErrorCode refusal = refusal(handle);
    if (refusal == null) {
      refusal = connection.server.judge.apply(arrived);
    }
    if (refusal == null) {
      connection.server.blocks(handle.shuffle(), arrived.partition()).add(arrived);
      refusal = replicate(handle, arrived);
    }
    return refusal;
  }

  /** Stores a block at the other members; null if all of them are there. */
  private @Nullable ErrorCode replicate(Handle handle, StoredBlock block) {
    List<FailedReplica> failed = new ArrayList<>();
    for (ReplicaMember member : handle.others()) {
      FakeServer peer =
          connection.server.peers.stream()
              .filter(server -> server.id.equals(member.id()))
              .findFirst()
              .orElseThrow();
      ErrorCode full = peer.refuseWants;
      if (full != null) {
        failed.add(new FailedReplica(peer.id, full));
      } else if (peer.up && !peer.silent) {
        peer.blocks(handle.shuffle(), block.partition()).add(block);
      } else {
        failed.add(new FailedReplica(peer.id, ErrorCode.CONNECT_FAILED));
      }
    }
    if (failed.isEmpty()) {
      return null;
    }
    connection.down(session -> session.replicasFailed(failed));
    return ErrorCode.REPLICA_FAILED;
  }

  private void answer(long number, long charge, @Nullable ErrorCode refusal) {
    Faults faults = connection.faults;
    long refund = faults.happens(faults.withholdRefund) ? 0 : charge;
    // Answers overtake each other before they are written.
    connection.loop.schedule(
        faults.delay(),
        () -> {
          if (connection.isAlive()) {
            credit += refund;
            connection.down(
                session -> {
                  if (refusal == null) {
                    session.acked(number, 1, refund);
                  } else {
                    if (connection.server.explanation != null) {
                      session.explained(refusal, connection.server.explanation);
                    }
                    session.nacked(number, 1, refund, refusal);
                  }
                });
          }
        });
  }

  void want(long bytes) {
    assertThat(bytes).isPositive();
    assertThat(lastHandle).as("a WANT says whose it is").isNotNegative();
    FakeServer server = connection.server;
    ErrorCode refusal = server.refuseWants;
    long possible = server.grantable < 0 ? bytes : Math.min(bytes, server.grantable);
    if (refusal != null) {
      connection.loop.schedule(
          server.refusesAfterNanos, () -> connection.down(session -> session.wantRefused(refusal)));
      return;
    }
    if (possible <= 0) {
      return; // Unanswered until there is memory.
    }
    Faults faults = connection.faults;
    long granted =
        faults.happens(faults.partialGrant)
            ? Math.max(1, (long) (possible * faults.random.nextDouble() / 4))
            : possible;
    if (server.grantable >= 0) {
      server.grantable -= granted;
    }
    credit += granted;
    connection.down(session -> session.granted(granted));
  }

  void returned(long bytes) {
    assertThat(bytes).isPositive();
    credit -= bytes;
    assertThat(credit).as("credit after a return").isNotNegative();
    if (connection.server.grantable >= 0) {
      connection.server.grantable += bytes;
    }
  }
}
