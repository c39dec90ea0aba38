package io.sluice.integration.job;

import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Passes rows through, and in the midst of every task waits until a test lets it go on: so a job
 * lasts as long as the test wants, with blocks pushed and blocks still to come.
 */
final class GatedRows implements Function2<Integer, Iterator<InternalRow>, Iterator<InternalRow>> {
  private static final long serialVersionUID = 1;

  private final TestGate gate;
  private final CountedRows.Side side;
  private final long afterRows;

  /**
   * @param afterRows rows that pass before
   */
  GatedRows(TestGate gate, CountedRows.Side side, long afterRows) {
    this.gate = gate;
    this.side = side;
    this.afterRows = afterRows;
  }

  @Override
  public Iterator<InternalRow> call(Integer partition, Iterator<InternalRow> rows) {
    String task = side + " " + partition + " " + TaskContext.get().attemptNumber();
    return new Iterator<>() {
      private long passed;

      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public InternalRow next() {
        if (++passed == afterRows) {
          gate.pass(task);
        }
        return rows.next();
      }
    };
  }
}
