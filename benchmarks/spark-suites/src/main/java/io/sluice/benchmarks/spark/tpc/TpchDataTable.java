package io.sluice.benchmarks.spark.tpc;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Date;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A table of TPC-H.
 *
 * @param name of the generator's table, which itself cannot travel to tasks
 */
record TpchDataTable(String name) implements TpcTable {
  /** As the specification has it: sums of doubles would depend on the order of rows. */
  private static final DataType MONEY = DataTypes.createDecimalType(12, 2);

  static List<TpcTable> all() {
    return Stream.of(
            TpchTable.CUSTOMER,
            TpchTable.ORDERS,
            TpchTable.LINE_ITEM,
            TpchTable.PART,
            TpchTable.PART_SUPPLIER,
            TpchTable.SUPPLIER,
            TpchTable.NATION,
            TpchTable.REGION)
        .<TpcTable>map(table -> new TpchDataTable(table.getTableName()))
        .toList();
  }

  @Override
  public StructType schema() {
    StructType schema = new StructType();
    for (TpchColumn<?> column : TpchTable.getTable(name).getColumns()) {
      schema = schema.add(column.getColumnName(), type(column));
    }
    return schema;
  }

  @Override
  public Iterator<Row> rows(double scale, int part, int parts) {
    return rows(TpchTable.getTable(name), scale, part, parts);
  }

  private static <E extends TpchEntity> Iterator<Row> rows(
      TpchTable<E> table, double scale, int part, int parts) {
    List<TpchColumn<E>> columns = table.getColumns();
    return StreamSupport.stream(table.createGenerator(scale, part, parts).spliterator(), false)
        .map(
            entity ->
                RowFactory.create(columns.stream().map(column -> value(column, entity)).toArray()))
        .iterator();
  }

  private static <E extends TpchEntity> Object value(TpchColumn<E> column, E entity) {
    return switch (column.getType().getBase()) {
      case INTEGER -> column.getInteger(entity);
      case IDENTIFIER -> column.getIdentifier(entity);
      case DATE -> Date.valueOf(LocalDate.ofEpochDay(column.getDate(entity)));
      case DOUBLE ->
          BigDecimal.valueOf(column.getDouble(entity)).setScale(2, RoundingMode.HALF_EVEN);
      case VARCHAR -> column.getString(entity);
    };
  }

  private static DataType type(TpchColumn<?> column) {
    return switch (column.getType().getBase()) {
      case INTEGER -> DataTypes.IntegerType;
      case IDENTIFIER -> DataTypes.LongType;
      case DATE -> DataTypes.DateType;
      case DOUBLE -> MONEY;
      case VARCHAR -> DataTypes.StringType;
    };
  }
}
