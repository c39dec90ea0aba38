package io.sluice.client;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A placement held in arrays. An entry costs one byte while there are at most 256 servers, else
 * two: 100,000 partitions serialise to 100 kB, before the engine compresses its handle. An epoch
 * that names k of them costs 4 bytes and an entry for each, and some 30 bytes of framing.
 */
public final class FixedPlacement implements ShufflePlacement {
  private static final long serialVersionUID = 1;
  private static final int MAX_SERVERS = 1 << 16;

  private final long applicationHigh;
  private final long applicationLow;
  private final int shuffleId;
  private final int generation;
  private final int partitions;
  private final PlacedServer[] servers;

  // By epoch: the partitions it names, ascending; null for all of them.
  private final int[] @Nullable [] named;

  // By epoch: one or two bytes an entry, entry = position of the partition * replicas + replica.
  private final byte[][] assignments;
  private final int[] replicas;

  // The newest epoch of each partition; made when it is first asked for.
  private transient volatile short @Nullable [] newest;

  private FixedPlacement(
      ShuffleKey shuffle,
      int partitions,
      PlacedServer[] servers,
      int[] @Nullable [] named,
      byte[][] assignments,
      int[] replicas) {
    this.applicationHigh = shuffle.application().high();
    this.applicationLow = shuffle.application().low();
    this.shuffleId = shuffle.shuffleId();
    this.generation = shuffle.generation();
    this.partitions = partitions;
    this.servers = servers;
    this.named = named;
    this.assignments = assignments;
    this.replicas = replicas;
  }

  /**
   * A placement of one epoch.
   *
   * @param servers the servers that {@code assignment} counts through
   * @param replicas servers per replica set, at least 1
   * @param assignment for partition p and replica r, entry {@code p * replicas + r} is an index
   *     into {@code servers}
   * @throws SluiceException INVALID_ARGUMENT if lengths or indices do not fit
   */
  public static FixedPlacement of(
      ShuffleKey shuffle,
      int partitions,
      List<PlacedServer> servers,
      int replicas,
      int[] assignment) {
    return new FixedPlacement(
            shuffle, partitions, new PlacedServer[0], new int[0][], new byte[0][], new int[0])
        .with(null, servers, replicas, assignment);
  }

  /** This placement with one more epoch for all partitions, whose servers may be known or new. */
  public FixedPlacement withEpoch(
      List<PlacedServer> epochServers, int epochReplicas, int[] assignment) {
    return with(null, epochServers, epochReplicas, assignment);
  }

  /**
   * This placement with one more epoch for some partitions, whose servers may be known or new.
   *
   * @param moved the partitions, ascending
   * @param assignment for the partition at position i and replica r, entry {@code i * replicas + r}
   *     is an index into {@code epochServers}
   * @throws SluiceException INVALID_ARGUMENT if lengths or indices do not fit; NO_SERVERS if there
   *     are {@link #MAX_EPOCHS} epochs already
   */
  public FixedPlacement withEpoch(
      int[] moved, List<PlacedServer> epochServers, int epochReplicas, int[] assignment) {
    for (int i = 0; i < moved.length; i++) {
      if (moved[i] < 0 || moved[i] >= partitions || (i > 0 && moved[i] <= moved[i - 1])) {
        throw invalid("partition " + moved[i] + " of " + partitions + " at position " + i);
      }
    }
    int[] names = moved.length == partitions ? null : moved.clone();
    return with(names, epochServers, epochReplicas, assignment);
  }

  private FixedPlacement with(
      int @Nullable [] names,
      List<PlacedServer> epochServers,
      int epochReplicas,
      int[] assignment) {
    int moved = names == null ? partitions : names.length;
    if (epochReplicas < 1 || assignment.length != (long) moved * epochReplicas) {
      throw invalid(
          "an assignment of "
              + assignment.length
              + " entries does not fit "
              + moved
              + " partitions with "
              + epochReplicas
              + " replicas");
    }
    if (assignments.length >= MAX_EPOCHS) {
      throw new SluiceException(
          ErrorCode.NO_SERVERS, "shuffle " + shuffle() + " has " + MAX_EPOCHS + " epochs already");
    }
    Map<PlacedServer, Integer> indices = new LinkedHashMap<>();
    for (PlacedServer server : servers) {
      indices.put(server, indices.size());
    }
    int[] translated = new int[epochServers.size()];
    for (int i = 0; i < translated.length; i++) {
      PlacedServer server = epochServers.get(i);
      Integer known = indices.putIfAbsent(server, indices.size());
      translated[i] = known == null ? indices.size() - 1 : known;
    }
    if (indices.size() > MAX_SERVERS) {
      throw invalid("more than " + MAX_SERVERS + " servers");
    }
    int epochs = assignments.length;
    int[] @Nullable [] allNamed = Arrays.copyOf(named, epochs + 1);
    allNamed[epochs] = names;
    byte[][] allAssignments = Arrays.copyOf(assignments, epochs + 1);
    allAssignments[epochs] = pack(assignment, translated, indices.size() > 256 ? 2 : 1);
    int[] allReplicas = Arrays.copyOf(replicas, epochs + 1);
    allReplicas[epochs] = epochReplicas;
    return new FixedPlacement(
        shuffle(),
        partitions,
        indices.keySet().toArray(new PlacedServer[0]),
        allNamed,
        allAssignments,
        allReplicas);
  }

  private static byte[] pack(int[] assignment, int[] translated, int width) {
    byte[] packed = new byte[assignment.length * width];
    for (int i = 0; i < assignment.length; i++) {
      int index = assignment[i];
      if (index < 0 || index >= translated.length) {
        throw invalid("entry " + i + " names server " + index + " of " + translated.length);
      }
      int server = translated[index];
      if (width == 1) {
        packed[i] = (byte) server;
      } else {
        packed[2 * i] = (byte) (server >>> 8);
        packed[2 * i + 1] = (byte) server;
      }
    }
    return packed;
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, message);
  }

  @Override
  public ShuffleKey shuffle() {
    return new ShuffleKey(ApplicationId.of(applicationHigh, applicationLow), shuffleId, generation);
  }

  @Override
  public int partitions() {
    return partitions;
  }

  @Override
  public List<PlacedServer> servers() {
    return Collections.unmodifiableList(Arrays.asList(servers));
  }

  @Override
  public int epochs() {
    return assignments.length;
  }

  @Override
  public int replicas(int epoch) {
    return replicas[epoch];
  }

  @Override
  public int nextNamed(int epoch, int from) {
    int[] names = named[epoch];
    if (names == null) {
      return Math.min(from, partitions);
    }
    int at = Arrays.binarySearch(names, from);
    at = at < 0 ? -at - 1 : at;
    return at < names.length ? names[at] : partitions;
  }

  @Override
  public int epochOf(int partition, int asOf) {
    if (assignments.length == 1) {
      return 0;
    }
    if (asOf >= assignments.length - 1) {
      return newest()[partition];
    }
    int epoch = asOf;
    while (nextNamed(epoch, partition) != partition) {
      epoch--;
    }
    return epoch;
  }

  private short[] newest() {
    short[] known = newest;
    if (known == null) {
      known = new short[partitions];
      for (short epoch = 1; epoch < assignments.length; epoch++) {
        int[] names = named[epoch];
        if (names == null) {
          Arrays.fill(known, epoch);
        } else {
          for (int partition : names) {
            known[partition] = epoch;
          }
        }
      }
      newest = known;
    }
    return known;
  }

  @Override
  public int server(int epoch, int partition, int replica) {
    byte[] packed = assignments[epoch];
    int[] names = named[epoch];
    int entries = (names == null ? partitions : names.length) * replicas[epoch];
    int position = names == null ? partition : Arrays.binarySearch(names, partition);
    if (position < 0 || partition >= partitions) {
      throw invalid("epoch " + epoch + " does not name partition " + partition);
    }
    int entry = position * replicas[epoch] + replica;
    if (packed.length == entries) {
      return packed[entry] & 0xFF;
    }
    return ((packed[2 * entry] & 0xFF) << 8) | (packed[2 * entry + 1] & 0xFF);
  }

  @Override
  public String toString() {
    return shuffle()
        + ": "
        + partitions
        + " partitions on "
        + servers.length
        + " servers, "
        + epochs()
        + " epochs";
  }
}
