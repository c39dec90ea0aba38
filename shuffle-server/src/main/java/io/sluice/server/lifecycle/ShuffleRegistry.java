package io.sluice.server.lifecycle;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.partition.TableNeed;
import io.sluice.server.quota.QuotaRefusal;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShare;
import io.sluice.server.quota.TableShares;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The shuffles of this server. A shuffle comes to be with its first block and goes by {@link
 * #remove}: hidden at once, its memory freed and its segments unlinked when the last reader is
 * done. Thread-safe.
 */
public final class ShuffleRegistry {
  private final int maxRunBytes;
  private final CopyOnWriteArrayList<SegmentStore> stores;
  private final TableShares tables;
  private final Quotas quotas;
  private final Map<ShuffleKey, Shuffle> shuffles = new ConcurrentHashMap<>();
  private final List<Runnable> onRemoval = new CopyOnWriteArrayList<>();
  // Guarded by itself.
  private final Tombstones tombstones = new Tombstones();

  /**
   * Takes up what the disks held when they were opened.
   *
   * @param tables pays for what the shuffles take of the heap
   * @param quotas what applications may store
   */
  public ShuffleRegistry(
      int maxRunBytes, List<SegmentStore> stores, TableBudget tables, Quotas quotas) {
    this.tables = new TableShares(tables);
    this.quotas = quotas;
    this.maxRunBytes = maxRunBytes;
    this.stores = new CopyOnWriteArrayList<>();
    stores.forEach(this::adopt);
  }

  /**
   * Takes up what one more store holds, to be read and removed here from now on; or what a store
   * holds that was empty at first. Shuffles that were removed here stay so, and are removed there.
   * Blocks.
   */
  public void adopt(SegmentStore store) {
    stores.addIfAbsent(store);
    for (Map.Entry<ShuffleKey, List<Extent>> entry : store.recovered().entrySet()) {
      Shuffle shuffle = forPush(entry.getKey());
      if (shuffle == null) {
        store.remove(entry.getKey());
        continue;
      }
      for (Extent extent : entry.getValue()) {
        shuffle.partition(extent.partition()).recovered(new StoredExtent(store, extent));
      }
    }
  }

  /**
   * Bytes of heap that what is taken up of other servers' stores may take from here on: the last
   * quarter of the tables is for who pushes here.
   */
  public long roomToAdopt() {
    return tables.room();
  }

  /**
   * Takes up what a store of another server holds, as {@link #adopt} does, if there is {@linkplain
   * #roomToAdopt room}.
   *
   * @return false if there is not: then nothing of it is taken up
   */
  public boolean adoptIfRoom(SegmentStore store) {
    if (TableNeed.of(store.recovered()) > roomToAdopt()) {
      return false;
    }
    adopt(store);
    return true;
  }

  /** All stores there are now, those of other servers that this one stands in for among them. */
  public List<SegmentStore> stores() {
    return Collections.unmodifiableList(stores);
  }

  /** Has something run after each removal; short, and without partitions' locks. */
  public void onRemoval(Runnable listener) {
    onRemoval.add(listener);
  }

  /** A shuffle with blocks here, or null. */
  public @Nullable Shuffle find(ShuffleKey key) {
    return shuffles.get(key);
  }

  /** The shuffle to store a block in, made if need be; null if it was removed. */
  public @Nullable Shuffle forPush(ShuffleKey key) {
    Shuffle found = shuffles.get(key);
    if (found != null) {
      return found;
    }
    synchronized (tombstones) {
      if (tombstones.contains(key)) {
        return null;
      }
      return shuffles.computeIfAbsent(key, this::make);
    }
  }

  private Shuffle make(ShuffleKey key) {
    return new Shuffle(
        key, maxRunBytes, tables.acquire(key.application()), quotas.acquire(key.application()));
  }

  /** Why an application may have no shuffle that is not here yet, or null if it may. */
  @Nullable QuotaRefusal refusal(ShuffleKey key) {
    TableShare share = tables.find(key.application());
    return share != null && share.exhausted() && find(key) == null
        ? share.refusal(key.shuffleId())
        : null;
  }

  /** How many applications have all that one may of the tables, so that blocks are refused. */
  public long applicationsAtTableLimit() {
    return tables.exhausted();
  }

  /** A look at all shuffles. */
  public Collection<Shuffle> all() {
    return shuffles.values();
  }

  public Set<ApplicationId> applications() {
    Set<ApplicationId> applications = new LinkedHashSet<>();
    for (ShuffleKey key : shuffles.keySet()) {
      applications.add(key.application());
    }
    return applications;
  }

  /** Removes a shuffle for good; removing an unknown one keeps it from coming. */
  public void remove(ShuffleKey key) {
    Shuffle shuffle;
    synchronized (tombstones) {
      tombstones.add(key);
      shuffle = shuffles.remove(key);
    }
    if (shuffle != null) {
      drop(shuffle);
      onRemoval.forEach(Runnable::run);
    }
  }

  /** Removes an application with all its shuffles, for good unless it is admitted again. */
  public void remove(ApplicationId application) {
    List<Shuffle> removed = new ArrayList<>();
    synchronized (tombstones) {
      tombstones.add(application);
      shuffles
          .values()
          .removeIf(
              shuffle -> shuffle.key().application().equals(application) && removed.add(shuffle));
    }
    removed.forEach(this::drop);
    quotas.forget(application);
    onRemoval.forEach(Runnable::run);
  }

  /** Takes blocks of an application again, although it was removed. */
  public void admit(ApplicationId application) {
    synchronized (tombstones) {
      tombstones.remove(application);
    }
  }

  private void drop(Shuffle shuffle) {
    shuffle.remove();
    quotas.release(shuffle.key().application());
    tables.release(shuffle.key().application());
    for (SegmentStore store : stores) {
      store.remove(shuffle.key());
    }
  }
}
