package io.sluice.integration.job;

import io.sluice.cli.spark.Fields;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Passes rows through, and in the midst of every task says on standard output how many files and
 * threads some other processes of this machine have. On the map side that is behind the task's last
 * row, before Spark's writer pushes what it still has: between the pushes of the maps before and
 * its own. On the reduce side it is behind the first row: the fetch has brought something and has
 * not been read to its end.
 */
final class CountedRows
    implements Function2<Integer, Iterator<InternalRow>, Iterator<InternalRow>> {
  private static final long serialVersionUID = 1;

  /** Before or behind the shuffle. */
  enum Side {
    MAP,
    REDUCE
  }

  private final Side side;
  private final long[] pids;

  CountedRows(Side side, List<Long> pids) {
    this.side = side;
    this.pids = pids.stream().mapToLong(Long::longValue).toArray();
  }

  @Override
  public Iterator<InternalRow> call(Integer partition, Iterator<InternalRow> rows) {
    return new Counted(partition, rows);
  }

  private void count(int task) {
    for (long pid : pids) {
      System.out.println(
          "census "
              + new Fields()
                  .put("side", side)
                  .put("task", task)
                  .put("pid", pid)
                  .put("files", entries(pid, "fd"))
                  .put("threads", entries(pid, "task")));
    }
  }

  private static long entries(long pid, String directory) {
    try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(pid), directory))) {
      return entries.count();
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }

  private final class Counted implements Iterator<InternalRow> {
    private final int task;
    private final Iterator<InternalRow> rows;
    private boolean counted;

    Counted(int task, Iterator<InternalRow> rows) {
      this.task = task;
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      boolean more = rows.hasNext();
      if (!more && side == Side.MAP) {
        countOnce();
      }
      return more;
    }

    @Override
    public InternalRow next() {
      InternalRow row = rows.next();
      if (side == Side.REDUCE) {
        countOnce();
      }
      return row;
    }

    private void countOnce() {
      if (!counted) {
        counted = true;
        count(task);
      }
    }
  }
}
