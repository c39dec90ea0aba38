package io.sluice.benchmarks.spark.tpc;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.math.BigDecimal;
import java.sql.Date;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** A table of TPC-DS. */
record TpcdsTable(Table table) implements TpcTable {

  /** All that queries name. */
  static List<TpcTable> all() {
    return Table.getBaseTables().stream()
        .filter(table -> table != Table.DBGEN_VERSION)
        .<TpcTable>map(TpcdsTable::new)
        .toList();
  }

  @Override
  public String name() {
    return table.getName();
  }

  @Override
  public StructType schema() {
    StructType schema = new StructType();
    for (Column column : table.getColumns()) {
      schema = schema.add(nameInQueries(column.getName()), type(column.getType()));
    }
    return schema;
  }

  /** One column has one name in the specification and another in the queries that Spark ships. */
  private static String nameInQueries(String column) {
    return column.equals("c_last_review_date_sk") ? "c_last_review_date" : column;
  }

  @Override
  public Iterator<Row> rows(double scale, int part, int parts) {
    Session session =
        Session.getDefaultSession()
            .withScale(scale)
            .withParallelism(parts)
            .withChunkNumber(part)
            .withTable(table);
    DataType[] types =
        Arrays.stream(table.getColumns())
            .map(column -> type(column.getType()))
            .toArray(DataType[]::new);
    // Rows of a table that is made beside another one's come with it; the first is the table's.
    return StreamSupport.stream(Results.constructResults(table, session).spliterator(), false)
        .map(rows -> row(types, rows.get(0)))
        .iterator();
  }

  private static Row row(DataType[] types, List<@Nullable String> texts) {
    @Nullable Object[] values = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      String text = texts.get(i);
      values[i] = text == null ? null : value(types[i], text);
    }
    return RowFactory.create(values);
  }

  private static Object value(DataType type, String text) {
    if (type.equals(DataTypes.IntegerType)) {
      return Integer.valueOf(text);
    }
    if (type.equals(DataTypes.LongType)) {
      return Long.valueOf(text);
    }
    if (type.equals(DataTypes.DateType)) {
      return Date.valueOf(text);
    }
    return type.equals(DataTypes.StringType) ? text : new BigDecimal(text);
  }

  private static DataType type(ColumnType type) {
    return switch (type.getBase()) {
      case INTEGER -> DataTypes.IntegerType;
      case IDENTIFIER -> DataTypes.LongType;
      case DATE -> DataTypes.DateType;
      case DECIMAL ->
          DataTypes.createDecimalType(
              type.getPrecision().orElseThrow(), type.getScale().orElseThrow());
      case VARCHAR, CHAR, TIME -> DataTypes.StringType;
    };
  }
}
