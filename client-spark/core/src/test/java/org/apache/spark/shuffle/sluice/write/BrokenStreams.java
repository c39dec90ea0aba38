package org.apache.spark.shuffle.sluice.write;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** Streams that throw as they close, once they are told to; and how many of them are open. */
final class BrokenStreams extends SerializerInstance {
  private final SerializerInstance whole;
  private final Throwable thrown;
  private boolean broken;
  private int open;

  /**
   * @param thrown what is thrown, declared or not
   */
  BrokenStreams(SerializerInstance whole, Throwable thrown) {
    this.whole = whole;
    this.thrown = thrown;
  }

  void breakNow() {
    broken = true;
  }

  /** Has them close well again. */
  void mend() {
    broken = false;
  }

  int open() {
    return open;
  }

  /** A serializer that gives this. */
  Serializer serializer() {
    return new Serializer() {
      @Override
      public SerializerInstance newInstance() {
        return BrokenStreams.this;
      }
    };
  }

  /** The same, of one whose records may change places. */
  Serializer relocatable() {
    return new Serializer() {
      @Override
      public SerializerInstance newInstance() {
        return BrokenStreams.this;
      }

      @Override
      public boolean supportsRelocationOfSerializedObjects() {
        return true;
      }
    };
  }

  @Override
  public SerializationStream serializeStream(OutputStream out) {
    open++;
    return new Breaking(whole.serializeStream(out));
  }

  @Override
  public DeserializationStream deserializeStream(InputStream in) {
    return whole.deserializeStream(in);
  }

  @Override
  public <T> ByteBuffer serialize(T value, ClassTag<T> type) {
    return whole.serialize(value, type);
  }

  @Override
  public <T> T deserialize(ByteBuffer bytes, ClassTag<T> type) {
    return whole.deserialize(bytes, type);
  }

  @Override
  public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> type) {
    return whole.deserialize(bytes, loader, type);
  }

  private final class Breaking extends SerializationStream {
    private final SerializationStream stream;

    Breaking(SerializationStream stream) {
      this.stream = stream;
    }

    @Override
    public <T> SerializationStream writeObject(T value, ClassTag<T> type) {
      stream.writeObject(value, type);
      return this;
    }

    @Override
    public void flush() {
      stream.flush();
    }

    @Override
    public void close() {
      open--;
      stream.close();
      if (broken) {
        BrokenStreams.<RuntimeException>throwAs(thrown);
      }
    }
  }

  @SuppressWarnings("unchecked")
  static <E extends Throwable> void throwAs(Throwable undeclared) throws E {
    throw (E) undeclared;
  }
}
