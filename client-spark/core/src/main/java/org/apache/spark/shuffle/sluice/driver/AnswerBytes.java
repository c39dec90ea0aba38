package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What the driver answered, or why it could not, as bytes.
 *
 * <p>Spark's RPC reads answers with the class loader that an executor began with. From 4.0 on that
 * is before the executor has fetched the jars of {@code spark.jars}, so that it knows no class of
 * ours, and the answer would be lost. An array of bytes it can read; what is in it is read here,
 * with the class loader that this class came from.
 */
final class AnswerBytes {
  private AnswerBytes() {}

  /** What {@code answer}, which is serialisable, is as bytes. */
  static byte[] of(Object answer) {
    try {
      return write(new Envelope(answer, null));
    } catch (IOException e) {
      return failed(new SluiceException(ErrorCode.INTERNAL_ERROR, "cannot send an answer: " + e));
    }
  }

  /** What {@code reason} is as bytes: all of it, or its message if its causes cannot be sent. */
  static byte[] failed(Throwable reason) {
    try {
      return write(new Envelope(null, reason));
    } catch (IOException e) {
      return messageOf(reason);
    }
  }

  private static byte[] messageOf(Throwable reason) {
    ErrorCode code =
        reason instanceof SluiceException
            ? ((SluiceException) reason).code()
            : ErrorCode.INTERNAL_ERROR;
    try {
      return write(new Envelope(null, new SluiceException(code, String.valueOf(reason))));
    } catch (IOException e) {
      throw new AssertionError("text can be sent", e);
    }
  }

  /**
   * Gives what was given to {@link #of}.
   *
   * @throws SluiceException that was given to {@link #failed}; {@code INTERNAL_ERROR} if that was
   *     anything else, or the bytes cannot be read
   */
  static <A> A read(byte[] bytes, Class<A> type) {
    Envelope envelope;
    try (ObjectInputStream in = new OwnClasses(new ByteArrayInputStream(bytes))) {
      envelope = (Envelope) in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR, "cannot read what the driver answered: " + e, e);
    }
    if (envelope.failure != null) {
      throw asOurs(envelope.failure);
    }
    return Objects.requireNonNull(type.cast(envelope.answer), "neither an answer nor a reason");
  }

  /** {@code cause} itself if it has a code, and otherwise one that has. */
  static SluiceException asOurs(Throwable cause) {
    if (cause instanceof SluiceException) {
      return (SluiceException) cause;
    }
    ErrorCode code =
        cause instanceof TimeoutException ? ErrorCode.TIMED_OUT : ErrorCode.INTERNAL_ERROR;
    return new SluiceException(code, "the driver did not answer: " + cause.getMessage(), cause);
  }

  private static byte[] write(Envelope envelope) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(envelope);
    }
    return bytes.toByteArray();
  }

  /** One of both is there. */
  private static final class Envelope implements Serializable {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // Found out when it is written.
    private final @Nullable Object answer;

    private final @Nullable Throwable failure;

    Envelope(@Nullable Object answer, @Nullable Throwable failure) {
      this.answer = answer;
      this.failure = failure;
    }
  }

  private static final class OwnClasses extends ObjectInputStream {
    OwnClasses(InputStream in) throws IOException {
      super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass type)
        throws IOException, ClassNotFoundException {
      try {
        return Class.forName(type.getName(), false, AnswerBytes.class.getClassLoader());
      } catch (ClassNotFoundException notThere) {
        return super.resolveClass(type); // primitive types
      }
    }
  }
}
