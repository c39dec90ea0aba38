package io.sluice.integration.job;

import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.Fields;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Passes rows through, and in the midst of every task says on standard output how many files and
 * threads some other processes of this machine have. On the map side that is behind the task's last
 * row, before Spark's writer pushes them: between the pushes of the maps before and its own. On the
 * reduce side it is behind the first row and behind the last: the fetch has brought something, and
 * the next task's has not begun.
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

  private void count(int task, long row) {
    for (long pid : pids) {
      ProcessUsage usage =
          ProcessHandle.of(pid).flatMap(ProcessUsage::of).orElse(ProcessUsage.NONE);
      System.out.println(
          "census "
              + new Fields()
                  .put("side", side)
                  .put("task", task)
                  .put("row", row)
                  .put("pid", pid)
                  .put("files", usage.openFiles())
                  .put("threads", usage.threads()));
    }
  }

  private final class Counted implements Iterator<InternalRow> {
    private final int task;
    private final Iterator<InternalRow> rows;
    private long passed;
    private boolean ended;

    Counted(int task, Iterator<InternalRow> rows) {
      this.task = task;
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      boolean more = rows.hasNext();
      if (!more && !ended) {
        ended = true;
        count(task, passed);
      }
      return more;
    }

    @Override
    public InternalRow next() {
      InternalRow row = rows.next();
      if (++passed == 1 && side == Side.REDUCE) {
        count(task, passed);
      }
      return row;
    }
  }
}
