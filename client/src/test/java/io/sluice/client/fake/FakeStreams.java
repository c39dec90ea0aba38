package io.sluice.client.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.InventoryEntries;
import io.sluice.transport.TransportLimits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The fetch half of a fake connection's server end. */
final class FakeStreams {
  private final FakeConnection connection;
  private final Faults faults;
  private final Map<Integer, Stream> open = new HashMap<>();
  private int lastStream = -1;

  FakeStreams(FakeConnection connection) {
    this.connection = connection;
    this.faults = connection.faults;
  }

  void fetch(FetchRequest request, FakeIngest ingest) {
    assertThat(request.stream()).as("streams grow").isGreaterThan(lastStream);
    lastStream = request.stream();
    connection.server.fetches++;
    FakeIngest.Handle handle = ingest.handle(request.handle());
    ErrorCode refusal = ingest.refusal(handle);
    ErrorCode ordered = connection.server.failFetches.poll();
    ErrorCode code = ordered != null ? ordered : refusal;
    if (code != null) {
      connection.down(s -> s.streamFailed(request.stream(), code, "said the test"));
      return;
    }
    Stream stream = new Stream(request.stream(), request.credit());
    open.put(request.stream(), stream);
    connection.server.mostStreams = Math.max(connection.server.mostStreams, open.size());
    stream.held = connection.server.holdsFetchesNanos > 0;
    if (stream.held) {
      connection.loop.schedule(
          connection.server.holdsFetchesNanos, () -> begin(stream, request, handle.shuffle()));
    } else {
      begin(stream, request, handle.shuffle());
    }
  }

  private void begin(Stream stream, FetchRequest request, ShuffleKey shuffle) {
    NavigableMap<Integer, List<StoredBlock>> stored =
        connection
            .server
            .stored
            .computeIfAbsent(shuffle, key -> new TreeMap<>())
            .subMap(request.firstPartition(), true, request.endPartition(), false);
    stored.forEach((partition, blocks) -> stream.add(partition, select(blocks, request, stream)));
    connection.server.damagedFetches = Math.max(0, connection.server.damagedFetches - 1);
    stream.held = false;
    connection.loop.execute(() -> pump(stream));
  }

  private List<StoredBlock> select(List<StoredBlock> blocks, FetchRequest request, Stream stream) {
    List<StoredBlock> selected = new ArrayList<>();
    boolean damaged = connection.server.damagedFetches > 0;
    for (StoredBlock block : blocks) {
      if (block.mapIndex() < request.firstMap() || block.mapIndex() >= request.endMap()) {
        continue;
      }
      if (connection.server.unreadable.test(block)) {
        stream.unread = true;
        continue;
      }
      boolean corrupt = damaged || faults.happens(faults.corruptOnFetch);
      selected.add(corrupt ? block.corrupted(faults.random.nextInt()) : block);
      if (faults.happens(faults.duplicateBlock)) {
        selected.add(block);
      }
    }
    if (faults.happens(faults.reorderBlocks)) {
      Collections.shuffle(selected, faults.random);
    }
    return selected;
  }

  void inventory(int number, int firstMap) {
    assertThat(number).as("streams grow").isGreaterThan(lastStream);
    lastStream = number;
    connection.server.inventories++;
    boolean tooMany = connection.server.oneInventoryAtATime && !open.isEmpty();
    ErrorCode code = tooMany ? ErrorCode.TOO_MANY_STREAMS : connection.server.failFetches.poll();
    if (code != null) {
      connection.down(s -> s.streamFailed(number, code, "said the test"));
      return;
    }
    List<FakeServer.Whole> page =
        connection.server.whole.stream()
            .filter(whole -> whole.map() >= firstMap)
            .limit(InventoryEntries.MAX_ENTRIES)
            .toList();
    ByteBuffer bytes = ByteBuffer.allocate(page.size() * InventoryEntries.BYTES);
    page.forEach(
        whole -> InventoryEntries.put(bytes, whole.map(), whole.attempt(), whole.partitions()));
    Stream stream = new Stream(number, InventoryEntries.MAX_BYTES);
    stream.blocks = page.size();
    if (bytes.capacity() > 0) {
      stream.cursors.add(new Cursor(0, bytes.array()));
    }
    open.put(number, stream);
    connection.loop.execute(() -> pump(stream));
  }

  void credit(int number, long bytes) {
    Stream stream = open.get(number);
    if (stream != null) {
      stream.credit += bytes;
      pump(stream);
    }
  }

  void cancel(int number) {
    open.remove(number);
  }

  private void pump(Stream stream) {
    while (connection.isAlive() && open.get(stream.number) == stream && !stream.held) {
      if (stream.cursors.isEmpty()) {
        open.remove(stream.number);
        if (stream.unread) {
          connection.down(
              s -> s.streamFailed(stream.number, ErrorCode.DISK_FAILED, "disk0 is broken"));
          return;
        }
        connection.down(s -> s.streamEnded(stream.number, stream.blocks, stream.sent));
        return;
      }
      if (stream.credit == 0) {
        return;
      }
      if (faults.happens(faults.dropConnectionPerPiece)) {
        connection.drop();
        return;
      }
      int pace = connection.server.bytesPerSecond.applyAsInt(stream.cursors.get(0).partition);
      if (pace < 0) {
        sendPiece(stream, TransportLimits.MAX_DATA_BYTES);
      } else {
        trickle(stream, pace);
        return;
      }
    }
  }

  private void trickle(Stream stream, int bytesPerSecond) {
    if (bytesPerSecond > 0 && !stream.trickles) {
      stream.trickles = true;
      sendPiece(stream, bytesPerSecond);
      connection.loop.schedule(
          TimeUnit.SECONDS.toNanos(1),
          () -> {
            stream.trickles = false;
            pump(stream);
          });
    }
  }

  private void sendPiece(Stream stream, int mostBytes) {
    int index =
        faults.happens(faults.interleave)
            ? faults.random.nextInt(Math.min(4, stream.cursors.size()))
            : 0;
    Cursor cursor = stream.cursors.get(index);
    int most = (int) Math.min(Math.min(cursor.left(), stream.credit), mostBytes);
    int length = faults.happens(faults.splitPieces) ? 1 + faults.random.nextInt(most) : most;
    ByteBuffer piece = ByteBuffer.allocateDirect(length);
    piece.put(cursor.bytes, cursor.at, length).flip();
    cursor.at += length;
    stream.credit -= length;
    stream.sent += length;
    connection.server.sentBytes += length;
    if (cursor.left() == 0) {
      stream.cursors.remove(index);
    }
    int split = faults.random.nextInt(length);
    connection.down(
        s -> {
          if (split > 0) {
            s.data(stream.number, cursor.partition, piece, 0, split);
          }
          s.data(stream.number, cursor.partition, piece, split, length - split);
        });
  }

  private static final class Stream {
    final int number;
    final List<Cursor> cursors = new ArrayList<>();
    long credit;
    long sent;
    long blocks;
    boolean unread;
    boolean trickles;
    boolean held;

    Stream(int number, long credit) {
      this.number = number;
      this.credit = credit;
    }

    void add(int partition, List<StoredBlock> stored) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      stored.forEach(block -> bytes.writeBytes(block.bytes()));
      blocks += stored.size();
      if (bytes.size() > 0) {
        cursors.add(new Cursor(partition, bytes.toByteArray()));
      }
    }
  }

  private static final class Cursor {
    final int partition;
    final byte[] bytes;
    int at;

    Cursor(int partition, byte[] bytes) {
      this.partition = partition;
      this.bytes = bytes;
    }

    int left() {
      return bytes.length - at;
    }
  }
}
