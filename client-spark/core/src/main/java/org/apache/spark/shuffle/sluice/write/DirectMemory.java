package org.apache.spark.shuffle.sluice.write;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.apache.spark.unsafe.Platform;

/** The address behind a direct buffer, for {@link Platform#copyMemory}. */
final class DirectMemory {
  private static final long ADDRESS_OFFSET = addressOffset();

  private DirectMemory() {}

  /** Address of the buffer's index 0; good for as long as the buffer is reachable and not freed. */
  static long address(ByteBuffer direct) {
    if (!direct.isDirect()) {
      throw new IllegalArgumentException("not a direct buffer: " + direct);
    }
    return Platform.getLong(direct, ADDRESS_OFFSET);
  }

  /** By reflection, because {@code --release 11} hides Unsafe; Spark itself needs it anyway. */
  private static long addressOffset() {
    try {
      Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
      Field instance = unsafeClass.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      Field address = Buffer.class.getDeclaredField("address");
      return (long)
          unsafeClass
              .getMethod("objectFieldOffset", Field.class)
              .invoke(instance.get(null), address);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
