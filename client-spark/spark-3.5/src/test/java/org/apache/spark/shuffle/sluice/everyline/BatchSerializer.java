package org.apache.spark.shuffle.sluice.everyline;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.NoSuchElementException;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.reflect.ClassTag;

/**
 * Stands in for the serializers that columnar plug-ins put into a shuffle's dependency. Keys are
 * partition numbers and are left out; a batch is opaque; one without rows is not written at all.
 *
 * <p>A relocatable stream is batch after batch. Any other has a header, numbers its batches, and
 * ends with their count: whoever cuts it, or puts two together, makes it unreadable.
 */
final class BatchSerializer extends Serializer implements Serializable {
  private static final long serialVersionUID = 1;
  private static final int HEADER = 0xC0FFEE;
  private static final int BATCH = 0xBA7C4;
  private static final int END = 0xE4D;

  private final boolean relocatable;

  BatchSerializer(boolean relocatable) {
    this.relocatable = relocatable;
  }

  @Override
  public boolean supportsRelocationOfSerializedObjects() {
    return relocatable;
  }

  @Override
  public SerializerInstance newInstance() {
    return new Instance(relocatable);
  }

  private static final class Instance extends SerializerInstance {
    private final boolean relocatable;

    Instance(boolean relocatable) {
      this.relocatable = relocatable;
    }

    @Override
    public SerializationStream serializeStream(OutputStream out) {
      return new Writing(out, relocatable);
    }

    @Override
    public DeserializationStream deserializeStream(InputStream in) {
      return new Reading(in, relocatable);
    }

    @Override
    public <T> ByteBuffer serialize(T value, ClassTag<T> type) {
      throw new UnsupportedOperationException("batches have streams only");
    }

    @Override
    public <T> T deserialize(ByteBuffer bytes, ClassTag<T> type) {
      throw new UnsupportedOperationException("batches have streams only");
    }

    @Override
    public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> type) {
      throw new UnsupportedOperationException("batches have streams only");
    }
  }

  private static final class Writing extends SerializationStream {
    private final DataOutputStream out;
    private final boolean relocatable;
    private int written;

    Writing(OutputStream out, boolean relocatable) {
      this.out = new DataOutputStream(new BufferedOutputStream(out));
      this.relocatable = relocatable;
    }

    @Override
    public <T> SerializationStream writeKey(T key, ClassTag<T> type) {
      return this;
    }

    @Override
    public <T> SerializationStream writeValue(T value, ClassTag<T> type) {
      return writeObject(value, type);
    }

    @Override
    public <T> SerializationStream writeObject(T value, ClassTag<T> type) {
      Batch batch = (Batch) value;
      try {
        if (!batch.isEmpty()) {
          write(batch);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    private void write(Batch batch) throws IOException {
      if (!relocatable && written == 0) {
        out.writeInt(HEADER);
      }
      out.writeInt(BATCH);
      if (!relocatable) {
        out.writeInt(written);
      }
      out.writeInt(batch.numbers().length);
      for (long number : batch.numbers()) {
        out.writeLong(number);
      }
      out.writeInt(batch.bytes().length);
      out.write(batch.bytes());
      written++;
    }

    @Override
    public void flush() {
      try {
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      try {
        if (!relocatable && written > 0) {
          out.writeInt(END);
          out.writeInt(written);
        }
        out.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class Reading extends DeserializationStream {
    private final DataInputStream in;
    private final boolean relocatable;

    Reading(InputStream in, boolean relocatable) {
      this.in = new DataInputStream(in);
      this.relocatable = relocatable;
    }

    @Override
    public <T> T readObject(ClassTag<T> type) {
      throw new UnsupportedOperationException("batches are iterated over");
    }

    @Override
    public Iterator<Object> asIterator() {
      throw new UnsupportedOperationException("batches are iterated over as pairs");
    }

    @Override
    public Iterator<Tuple2<Object, Object>> asKeyValueIterator() {
      return new Batches(in, relocatable);
    }

    @Override
    public void close() {
      try {
        in.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class Batches extends AbstractIterator<Tuple2<Object, Object>> {
    private final DataInputStream in;
    private final boolean relocatable;
    private @Nullable Batch next;
    private int read;
    private boolean ended;

    Batches(DataInputStream in, boolean relocatable) {
      this.in = in;
      this.relocatable = relocatable;
    }

    @Override
    public boolean hasNext() {
      try {
        if (next == null && !ended) {
          next = read();
          ended = next == null;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return next != null;
    }

    @Override
    public Tuple2<Object, Object> next() {
      Batch batch = hasNext() ? next : null;
      if (batch == null) {
        throw new NoSuchElementException("no more batches");
      }
      next = null;
      return new Tuple2<>(0, batch);
    }

    private @Nullable Batch read() throws IOException {
      int first = in.read();
      if (first < 0) {
        require(relocatable || read == 0, "the stream has no end");
        return null;
      }
      int mark = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
      if (!relocatable) {
        if (read == 0) {
          require(mark == HEADER, "the stream has no header");
          mark = in.readInt();
        } else if (mark == END) {
          require(in.readInt() == read, "the stream has another number of batches");
          require(in.read() < 0, "another stream follows");
          return null;
        }
      }
      require(mark == BATCH, "not a batch");
      require(relocatable || in.readInt() == read, "a batch is missing");
      read++;
      long[] numbers = new long[in.readInt()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = in.readLong();
      }
      byte[] bytes = new byte[in.readInt()];
      in.readFully(bytes);
      Batch batch = new Batch();
      batch.fill(numbers, bytes);
      return batch;
    }

    private static void require(boolean holds, String message) {
      if (!holds) {
        throw new IllegalStateException(message);
      }
    }
  }
}
