package io.sluice.integration.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
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

  private final int port;
  private final CountedRows.Side side;
  private final long afterRows;

  /**
   * @param port where the test listens, on the loopback interface
   * @param afterRows rows that pass before
   */
  GatedRows(int port, CountedRows.Side side, long afterRows) {
    this.port = port;
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
          await(task);
        }
        return rows.next();
      }
    };
  }

  private void await(String task) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        PrintStream out = new PrintStream(socket.getOutputStream(), true, UTF_8);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      out.println(task);
      if (in.readLine() == null) {
        throw new IOException("the test has hung up");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
