package io.sluice.simulation.scenario;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.segment.DiskActivity;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import io.sluice.server.segment.UnitBuilder;
import io.sluice.server.segment.UnitRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A disk that does not find one of the extents that lie on it, and is honest otherwise. */
record ForgetfulStore(SegmentStore store) implements SegmentStore {
  @Override
  public Map<ShuffleKey, List<Extent>> recovered() {
    Map<ShuffleKey, List<Extent>> found = new LinkedHashMap<>(store.recovered());
    found.entrySet().stream()
        .filter(entry -> !entry.getValue().isEmpty())
        .findFirst()
        .ifPresent(
            entry -> {
              List<Extent> rest = new ArrayList<>(entry.getValue());
              rest.remove(rest.size() - 1);
              entry.setValue(rest);
            });
    return found;
  }

  @Override
  public UnitRange unitOf(Extent extent) {
    return store.unitOf(extent);
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Tier tier() {
    return store.tier();
  }

  @Override
  public @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable) {
    return store.tryStage(shuffle, onAvailable);
  }

  @Override
  public void write(UnitBuilder unit, WriteCallback callback) {
    store.write(unit, callback);
  }

  @Override
  public void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {
    store.read(part, offset, target, callback);
  }

  @Override
  public void tally(ShuffleKey shuffle, int maxAttempts, TallyCallback callback) {
    store.tally(shuffle, maxAttempts, callback);
  }

  @Override
  public void remove(ShuffleKey shuffle) {
    store.remove(shuffle);
  }

  @Override
  public DiskUsage usage() {
    return store.usage();
  }

  @Override
  public String fileSystem() {
    return store.fileSystem();
  }

  @Override
  public DiskHealth health() {
    return store.health();
  }

  @Override
  public void onHealthChange(Runnable listener) {
    store.onHealthChange(listener);
  }

  @Override
  public int unitBytes() {
    return store.unitBytes();
  }

  @Override
  public long comfortableSpace() {
    return store.comfortableSpace();
  }

  @Override
  public long readerSpread() {
    return store.readerSpread();
  }

  @Override
  public int firstAtHand(List<ExtentPart> parts) {
    return store.firstAtHand(parts);
  }

  @Override
  public DiskActivity activity() {
    return store.activity();
  }

  @Override
  public int lostUnits() {
    return store.lostUnits();
  }

  @Override
  public CompletableFuture<Void> sync() {
    return store.sync();
  }

  @Override
  public void close() {
    store.close();
  }
}
