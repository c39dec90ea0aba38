package io.sluice.integration.job;

import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;

/** Passes rows through; first attempts of every third map meet the fault half-way. */
final class FaultyRows implements Function2<Integer, Iterator<InternalRow>, Iterator<InternalRow>> {
  private static final long serialVersionUID = 1;
  private static final int EVERY = 3;
  private static final long STALL_SECONDS = 15;

  private final MapFault fault;
  private final long afterRows;

  FaultyRows(MapFault fault, long afterRows) {
    this.fault = fault;
    this.afterRows = afterRows;
  }

  @Override
  public Iterator<InternalRow> call(Integer partition, Iterator<InternalRow> rows) {
    TaskContext context = TaskContext.get();
    // A speculative copy has attempt number 1, as a retry has.
    boolean struck = partition % EVERY == 0 && context.attemptNumber() == 0;
    return struck ? new Struck(rows) : rows;
  }

  private final class Struck implements Iterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private long passed;

    Struck(Iterator<InternalRow> rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public InternalRow next() {
      if (++passed == afterRows) {
        strike();
      }
      return rows.next();
    }
  }

  private void strike() {
    switch (fault) {
      case NONE -> {}
      case THROW -> throw new IllegalStateException("struck down on purpose");
      case HALT -> Runtime.getRuntime().halt(137);
      case STALL -> stall();
    }
  }

  private static void stall() {
    try {
      // Nobody counts down: the copy overtakes us meanwhile, or kills us by interrupt.
      boolean released = new CountDownLatch(1).await(STALL_SECONDS, TimeUnit.SECONDS);
      assert !released;
    } catch (InterruptedException killed) {
      Thread.currentThread().interrupt();
    }
  }
}
