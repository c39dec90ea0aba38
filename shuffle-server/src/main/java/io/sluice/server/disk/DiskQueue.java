package io.sluice.server.disk;

/**
 * Where the work of one disk is carried out: reads, writes and chores each begin in order of
 * arrival among themselves. Tasks may block on the disk and must not throw. Thread-safe.
 *
 * <p>Writes run one at a time on a spindle and on a remote file system, two at a time on flash. Two
 * of them are never to one segment: its units must be complete in the order of their offsets
 * (recovery relies on it), and file systems let only one write at a time extend a file anyway.
 */
public interface DiskQueue extends AutoCloseable {
  /**
   * Queues a read; callers keep at most as many in flight as the disk has read threads, and one may
   * queue its successor before it ends.
   *
   * @return false after {@link #close}
   */
  boolean read(Runnable task);

  /**
   * Queues a write; callers keep at most as many in flight as they have staging buffers.
   *
   * @return false after {@link #close}
   */
  boolean write(Runnable task);

  /**
   * Queues a chore, such as unlinking; each kind of caller keeps at most one in flight.
   *
   * @return false after {@link #close}
   */
  boolean chore(Runnable task);

  /**
   * Takes no more reads and runs those that wait, then the same for writes, then for chores: a read
   * or write that is run here may still queue a chore. Waits as long as tasks end; those that do
   * not are left alone in the end.
   */
  @Override
  void close();

  /** After {@link #close}: whether tasks were left that have not ended, and use what they use. */
  default boolean isStuck() {
    return false;
  }
}
