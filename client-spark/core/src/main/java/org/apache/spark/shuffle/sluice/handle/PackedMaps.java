package org.apache.spark.shuffle.sluice.handle;

import io.sluice.client.MissingBlocksException.MissingMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Maps of which a partition is missing, small enough to wait at the driver in thousands: where a
 * server is lost, each reader misses every map. Their indices, attempts and partitions follow each
 * other closely, so the differences are nearly all alike, and next to nothing once deflated. What
 * that comes to is in {@code docs/failures.md}. Immutable.
 */
final class PackedMaps implements Serializable {
  private static final long serialVersionUID = 1;

  private final int count;
  // Indices, attempts, partitions: each the difference to the one before, big-endian.
  private final byte[] deflated;

  private PackedMaps(int count, byte[] deflated) {
    this.count = count;
    this.deflated = deflated;
  }

  static PackedMaps of(List<MissingMap> maps) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try (DataOutputStream out =
        new DataOutputStream(new DeflaterOutputStream(packed, deflater, 8192))) {
      write(maps, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Arrays do not fail.
    } finally {
      deflater.end();
    }
    return new PackedMaps(maps.size(), packed.toByteArray());
  }

  private static void write(List<MissingMap> maps, DataOutputStream out) throws IOException {
    int index = 0;
    for (MissingMap map : maps) {
      out.writeInt(map.mapIndex() - index);
      index = map.mapIndex();
    }
    long attempt = 0;
    for (MissingMap map : maps) {
      out.writeLong(map.attemptId() - attempt);
      attempt = map.attemptId();
    }
    int partition = 0;
    for (MissingMap map : maps) {
      out.writeInt(map.partition() - partition);
      partition = map.partition();
    }
  }

  int count() {
    return count;
  }

  /**
   * All of them, made anew by each call.
   *
   * @throws UncheckedIOException if they have come damaged
   */
  List<MissingMap> all() {
    try (DataInputStream in = open()) {
      int[] indices = ints(in, count);
      long[] attempts = new long[count];
      long attempt = 0;
      for (int i = 0; i < count; i++) {
        attempt += in.readLong();
        attempts[i] = attempt;
      }
      int[] partitions = ints(in, count);
      List<MissingMap> maps = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        maps.add(new MissingMap(indices[i], attempts[i], partitions[i]));
      }
      return maps;
    } catch (IOException e) {
      throw new UncheckedIOException("a list of " + count + " maps is damaged", e);
    }
  }

  /** The indices of the first ones, without reading the others. */
  int[] firstIndices(int most) {
    try (DataInputStream in = open()) {
      return ints(in, Math.min(most, count));
    } catch (IOException e) {
      throw new UncheckedIOException("a list of " + count + " maps is damaged", e);
    }
  }

  private DataInputStream open() {
    return new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(deflated)));
  }

  private static int[] ints(DataInputStream in, int count) throws IOException {
    int[] values = new int[count];
    int value = 0;
    for (int i = 0; i < count; i++) {
      value += in.readInt();
      values[i] = value;
    }
    return values;
  }
}
