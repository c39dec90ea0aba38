package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong next on a {@link SimulatedDisk}. Everything is off at first; each switch says how
 * long it lasts. Thread-safe.
 */
public final class DiskFaults {
  private final Set<String> denied = new HashSet<>();
  private final Set<String> hidden = new HashSet<>();
  // From which byte on.
  private final Map<String, Long> unreadable = new HashMap<>();
  private boolean vanished;
  private int passingWrites;
  private int failingWrites;
  private int failingReads;
  private int failingTruncates;
  private int failingForces;
  private int failingDeletes;
  private int failingReplaces;
  private int failingAnswers;
  private int failingLists;
  private int brokenLists;
  private int writeSizeMax = Integer.MAX_VALUE;
  private @Nullable IntPredicate tornWrite;
  private @Nullable Runnable duringRead;
  private @Nullable Runnable duringWrite;
  private @Nullable Runnable duringTruncate;
  private @Nullable Runnable duringForce;
  private @Nullable Runnable duringAnswer;

  /** The next writes fail with nothing written. */
  public synchronized void failWrites(int count) {
    failWritesAfter(0, count);
  }

  /** So many writes succeed, the next fail. */
  public synchronized void failWritesAfter(int passing, int count) {
    passingWrites = passing;
    failingWrites = count;
  }

  /** The next reads fail. */
  public synchronized void failReads(int count) {
    failingReads = count;
  }

  /** The next cuts fail. */
  public synchronized void failTruncates(int count) {
    failingTruncates = count;
  }

  /** The next files that are synced are not. */
  public synchronized void failForces(int count) {
    failingForces = count;
  }

  /** A file's owner keeps it from whoever opens it from now on. */
  public synchronized void deny(String file) {
    denied.add(file);
  }

  /** A file's bytes from one on cannot be read; {@link Long#MAX_VALUE} ends it. */
  public synchronized void unreadable(String file, long from) {
    unreadable.put(file, from);
  }

  /** Nothing but its name is known of a file in its folder, or everything again. */
  public synchronized void hide(String file, boolean nothingKnown) {
    if (nothingKnown) {
      hidden.add(file);
    } else {
      hidden.remove(file);
    }
  }

  synchronized boolean hides(String file) {
    return hidden.contains(file);
  }

  /** Another directory, an empty one, is where the disk was; or it is back. */
  public synchronized void vanish(boolean gone) {
    vanished = gone;
  }

  synchronized boolean isVanished() {
    return vanished;
  }

  /** The next deletions fail. */
  public synchronized void failDeletes(int count) {
    failingDeletes = count;
  }

  /** The next replacements of small files fail. */
  public synchronized void failReplaces(int count) {
    failingReplaces = count;
  }

  /** The next questions for free bytes fail. */
  public synchronized void failAsking(int count) {
    failingAnswers = count;
  }

  /** The next folders cannot be listed to their end. */
  public synchronized void failLists(int count) {
    failingLists = count;
  }

  /** The next folders are listed by something that has a bug. */
  public synchronized void breakLists(int count) {
    brokenLists = count;
  }

  /** From now on a write takes at most so many bytes, a multiple of the alignment. */
  public synchronized void limitWriteSize(int bytes) {
    writeSizeMax = bytes;
  }

  /**
   * The process dies during the next write. Of the write's bytes those stay for whose page number
   * (in the write) the predicate holds.
   */
  public synchronized void dieInNextWrite(IntPredicate pageSurvives) {
    tornWrite = pageSurvives;
  }

  /** What happens while the next read is under way. */
  public synchronized void duringNextRead(Runnable happening) {
    duringRead = happening;
  }

  /** What happens while the next write is under way, under no lock: it may wait. */
  public synchronized void duringNextWrite(Runnable happening) {
    duringWrite = happening;
  }

  /** The same of the next cut. */
  public synchronized void duringNextTruncate(Runnable happening) {
    duringTruncate = happening;
  }

  /** What happens while a file is being synced next, under no lock: it may wait. */
  public synchronized void duringNextForce(Runnable happening) {
    duringForce = happening;
  }

  /** What happens while free bytes are asked for next, under no lock: it may wait. */
  public synchronized void duringNextAnswer(Runnable happening) {
    duringAnswer = happening;
  }

  void beforeWrite() {
    Runnable happening;
    synchronized (this) {
      happening = duringWrite;
      duringWrite = null;
    }
    run(happening);
  }

  void beforeForce() {
    Runnable happening;
    synchronized (this) {
      happening = duringForce;
      duringForce = null;
    }
    run(happening);
  }

  void beforeAnswer() {
    Runnable happening;
    synchronized (this) {
      happening = duringAnswer;
      duringAnswer = null;
    }
    run(happening);
  }

  private static void run(@Nullable Runnable happening) {
    if (happening != null) {
      happening.run();
    }
  }

  void beforeTruncate() {
    Runnable happening;
    synchronized (this) {
      happening = duringTruncate;
      duringTruncate = null;
    }
    if (happening != null) {
      happening.run();
    }
  }

  synchronized void onOpen(String file) throws IOException {
    if (denied.contains(file)) {
      throw new AccessDeniedException(file);
    }
  }

  synchronized void onWrite() throws IOException {
    if (failingWrites > 0 && passingWrites > 0) {
      passingWrites--;
    } else if (failingWrites > 0) {
      failingWrites--;
      throw new IOException("simulated write error");
    }
  }

  synchronized void onRead(String file, long position) throws IOException {
    if (position >= unreadable.getOrDefault(file, Long.MAX_VALUE)) {
      throw new IOException("simulated read error of " + file + " at " + position);
    }
    Runnable happening = duringRead;
    if (happening != null) {
      duringRead = null;
      happening.run();
    }
    if (failingReads > 0) {
      failingReads--;
      throw new IOException("simulated read error");
    }
  }

  synchronized void onTruncate() throws IOException {
    if (failingTruncates > 0) {
      failingTruncates--;
      throw new IOException("simulated truncate error");
    }
  }

  synchronized void onForce() throws IOException {
    if (failingForces > 0) {
      failingForces--;
      throw new IOException("simulated sync error");
    }
  }

  synchronized void onDelete() throws IOException {
    if (failingDeletes > 0) {
      failingDeletes--;
      throw new IOException("simulated delete error");
    }
  }

  synchronized void onAsking() throws IOException {
    if (failingAnswers > 0) {
      failingAnswers--;
      throw new IOException("simulated statvfs error");
    }
  }

  synchronized void onList() throws IOException {
    if (brokenLists > 0) {
      brokenLists--;
      throw new IllegalStateException("simulated bug");
    }
    if (failingLists > 0) {
      failingLists--;
      throw new IOException("simulated readdir error");
    }
  }

  synchronized void onReplace() throws IOException {
    if (failingReplaces > 0) {
      failingReplaces--;
      throw new IOException("simulated replace error");
    }
  }

  synchronized int writeSizeMax() {
    return writeSizeMax;
  }

  synchronized @Nullable IntPredicate takeTornWrite() {
    IntPredicate torn = tornWrite;
    tornWrite = null;
    return torn;
  }
}
