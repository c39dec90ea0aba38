package io.sluice.mapreduce.fake;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.FixedPlacement;
import io.sluice.client.Gap;
import io.sluice.client.MapOutput;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.mapreduce.job.ServerFate;
import io.sluice.mapreduce.job.ShuffleAccess;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Servers and network in a heap, with the same promises: winners only, complete or an error. */
public final class HeapShuffle implements ShuffleAccess {
  private static final PlacedServer SERVER = new PlacedServer(ServerId.of(1, 1), 1, "localhost", 1);

  private static final int MAX_BLOCK_BYTES = 1 << 20;

  private final FixedPlacement placement;
  private final List<HeapBlock> blocks = new ArrayList<>();
  private final List<Complaint> left = new ArrayList<>();
  private final Deque<Supplier<ServerFate>> fates = new ArrayDeque<>();
  private final List<HeapMapOutput> outputs = new ArrayList<>();
  private @Nullable ErrorCode refusal;
  private @Nullable SluiceException end;
  private boolean closed;

  public HeapShuffle(int partitions) {
    placement =
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 2), 0, 0),
            partitions,
            List.of(SERVER),
            1,
            new int[partitions]);
  }

  /** Stores what a map has pushed. */
  public void store(List<HeapBlock> pushed) {
    blocks.addAll(pushed);
  }

  /** Loses the last block of a map attempt for every partition. */
  public void loseEndOf(long attempt) {
    blocks.removeIf(block -> block.attemptId() == attempt && block.isLast());
  }

  /** Loses all of a map attempt. */
  public void lose(long attempt) {
    blocks.removeIf(block -> block.attemptId() == attempt);
  }

  /** What coordinators will say of the server when asked next; that it is lost, if nothing else. */
  public void nextFate(Supplier<ServerFate> fate) {
    fates.add(fate);
  }

  /** From now on the server answers that it has not what is missing, and why. */
  public void answer(ErrorCode code) {
    refusal = code;
  }

  /** An operator ends the job: everything is gone. */
  public void end(SluiceException reason) {
    blocks.clear();
    end = reason;
    failOutputs(new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "no such shuffle"));
  }

  /** What maps have opened; what they push stays there until it is stored. */
  public List<HeapMapOutput> outputs() {
    return outputs;
  }

  /** No output that is open can be finished. */
  public void failOutputs(RuntimeException why) {
    outputs.forEach(output -> output.fail(why));
  }

  public boolean isClosed() {
    return closed;
  }

  /** What it was asked to leave alone. */
  public List<Complaint> left() {
    return left;
  }

  @Override
  public Optional<SluiceException> endedBecause() {
    return Optional.ofNullable(end);
  }

  @Override
  public MapOutput openMapOutput(int mapIndex, long attempt) {
    HeapMapOutput output =
        new HeapMapOutput(placement.partitions(), mapIndex, attempt, MAX_BLOCK_BYTES);
    outputs.add(output);
    return output;
  }

  @Override
  public ShufflePlacement newest() {
    return placement;
  }

  @Override
  public BlockReader read(
      ShufflePlacement from, int partition, int firstMap, int endMap, ExpectedMaps expected) {
    List<HeapBlock> found = new ArrayList<>();
    Set<Long> ended = new HashSet<>();
    for (HeapBlock block : blocks) {
      int position = expected.positionOf(block.mapIndex());
      if (block.partition() == partition
          && block.mapIndex() >= firstMap
          && block.mapIndex() < endMap
          && position >= 0
          && expected.attemptId(position) == block.attemptId()) {
        found.add(block);
        if (block.isLast()) {
          ended.add(block.attemptId());
        }
      }
    }
    List<MissingMap> missing = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      if (!ended.contains(expected.attemptId(i))) {
        missing.add(new MissingMap(expected.mapIndex(i), expected.attemptId(i), partition));
      }
    }
    return new Reader(found.iterator(), missing);
  }

  @Override
  public ServerFate fate(PlacedServer server) {
    return fates.isEmpty() ? ServerFate.LOST : fates.remove().get();
  }

  @Override
  public void leave(ShufflePlacement known, List<Complaint> complaints) {
    left.addAll(complaints);
  }

  @Override
  public void close() {
    closed = true;
  }

  private final class Reader implements BlockReader {
    private final Iterator<HeapBlock> found;
    private final List<MissingMap> missing;
    private long bytes;

    Reader(Iterator<HeapBlock> found, List<MissingMap> missing) {
      this.found = found;
      this.missing = missing;
    }

    @Override
    public @Nullable Block next() {
      if (found.hasNext()) {
        HeapBlock block = found.next();
        bytes += block.stored().length;
        return block;
      }
      if (!missing.isEmpty()) {
        ErrorCode answered = refusal;
        if (answered != null && answered.blame() == Blame.CAPACITY) {
          throw new SluiceException(answered, "no room for the reader of " + missing);
        }
        Gap gap = Gap.of(placement.shuffle(), missing);
        ErrorCode silent = ErrorCode.CONNECT_FAILED;
        throw new MissingBlocksException(
            answered == null ? silent : answered,
            answered == null ? gap.outOfReach(List.of(Complaint.ofServer(SERVER, silent))) : gap,
            "lost " + missing);
      }
      return null;
    }

    @Override
    public long bytesRead() {
      return bytes;
    }

    @Override
    public long waitNanos() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
