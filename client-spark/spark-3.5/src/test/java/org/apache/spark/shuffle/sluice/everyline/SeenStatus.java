package org.apache.spark.shuffle.sluice.everyline;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.ShuffleStatus;

/**
 * What Spark knows of a shuffle's maps; has something happen after the scheduler has seen so many
 * times that all of them are there.
 */
final class SeenStatus extends ShuffleStatus {
  private int maps;
  private int last;
  private Runnable then = () -> {};
  private AtomicInteger looks = new AtomicInteger();

  /** For the compiler: 4.3 has another one to call. */
  @SuppressWarnings("UnusedMethod")
  private SeenStatus(int maps) {
    super(maps, -1);
  }

  /**
   * Made as deserialisation makes an object of which a superclass cannot be serialised: by that
   * one's constructor alone, whatever it takes.
   */
  static SeenStatus of(int maps, int last, Runnable then) throws ReflectiveOperationException {
    Constructor<?> sparks = ShuffleStatus.class.getConstructors()[0];
    Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
    Constructor<?> constructor =
        (Constructor<?>)
            factory
                .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
                .invoke(
                    factory.getMethod("getReflectionFactory").invoke(null),
                    SeenStatus.class,
                    sparks);
    Object[] arguments =
        Arrays.stream(sparks.getParameterTypes())
            .map(type -> type == boolean.class ? (Object) false : (Object) Integer.valueOf(-1))
            .toArray();
    arguments[0] = maps;
    SeenStatus status = (SeenStatus) constructor.newInstance(arguments);
    status.maps = maps;
    status.last = last;
    status.then = then;
    status.looks = new AtomicInteger();
    return status;
  }

  int looks() {
    return looks.get();
  }

  @Override
  public int numAvailableMapOutputs() {
    int available = super.numAvailableMapOutputs();
    if (available == maps
        && Thread.currentThread().getName().equals(SchedulerLoopTest.THREAD)
        && looks.incrementAndGet() == last) {
      then.run();
    }
    return available;
  }
}
