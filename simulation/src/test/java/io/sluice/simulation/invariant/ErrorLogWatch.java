package io.sluice.simulation.invariant;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.jspecify.annotations.Nullable;

/**
 * Collects what is logged as an error; lower levels are switched off by the configuration.
 *
 * <p>Several simulations may run at a time: what a thread logs is told to whoever made that thread,
 * so that each simulation hears of its own tasks only. Who wants to hear takes once before.
 */
public final class ErrorLogWatch implements AutoCloseable {
  // A child inherits its parent's list itself, not a copy.
  private static final ThreadLocal<@Nullable List<String>> ERRORS = new InheritableThreadLocal<>();
  private final Collector collector = new Collector();
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);

  public ErrorLogWatch() {
    collector.start();
    context.getConfiguration().getRootLogger().addAppender(collector, Level.ERROR, null);
    context.updateLoggers();
  }

  /** What was logged since the last call. */
  public List<String> take() {
    List<String> mine = own();
    if (mine.isEmpty()) {
      return List.of();
    }
    List<String> taken = List.copyOf(mine);
    mine.clear();
    return taken;
  }

  private static List<String> own() {
    List<String> mine = ERRORS.get();
    if (mine == null) {
      mine = new ArrayList<>();
      ERRORS.set(mine);
    }
    return mine;
  }

  @Override
  public void close() {
    context.getConfiguration().getRootLogger().removeAppender(collector.getName());
    context.updateLoggers();
    collector.stop();
  }

  private static final class Collector extends AbstractAppender {
    Collector() {
      super(
          "errors of " + Thread.currentThread().getName(), null, null, false, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      String message = event.getLoggerName() + ": " + event.getMessage().getFormattedMessage();
      own().add(event.getThrown() == null ? message : message + ": " + event.getThrown());
    }
  }
}
