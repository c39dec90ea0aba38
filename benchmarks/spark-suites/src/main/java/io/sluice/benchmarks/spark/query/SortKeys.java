package io.sluice.benchmarks.spark.query;

import io.sluice.benchmarks.job.Executions;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import scala.collection.Seq;

/** What a query orders its result by. */
final class SortKeys {
  private SortKeys() {}

  /**
   * The columns of the result that it is ordered by, most significant first: as many as come before
   * the first key that is no column of the result.
   */
  static List<Integer> of(Dataset<Row> result) {
    LogicalPlan whole = Executions.of(result).analyzed();
    List<Integer> keys = new ArrayList<>();
    if (sortOf(whole) instanceof Sort sort && sort.global()) {
      Seq<SortOrder> order = sort.order();
      for (int i = 0; i < order.length(); i++) {
        int column = column(whole.output(), order.apply(i).child());
        if (column < 0) {
          break;
        }
        keys.add(column);
      }
    }
    return keys;
  }

  /** What is below everything that keeps rows in their order. */
  private static LogicalPlan sortOf(LogicalPlan whole) {
    LogicalPlan plan = whole;
    while (true) {
      if (plan instanceof WithCTE with) {
        plan = with.plan();
      } else if (plan instanceof GlobalLimit limit) {
        plan = limit.child();
      } else if (plan instanceof LocalLimit limit) {
        plan = limit.child();
      } else if (plan instanceof Project project) {
        plan = project.child();
      } else {
        return plan;
      }
    }
  }

  private static int column(Seq<Attribute> columns, Expression key) {
    if (key instanceof Attribute attribute) {
      for (int i = 0; i < columns.length(); i++) {
        if (columns.apply(i).exprId().equals(attribute.exprId())) {
          return i;
        }
      }
    }
    return -1;
  }
}
