package io.sluice.simulation.invariant;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Collects what is logged as an error; lower levels are switched off by the configuration. */
public final class ErrorLogWatch implements AutoCloseable {
  private final List<String> errors = new ArrayList<>();
  private final Collector collector = new Collector();
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);

  public ErrorLogWatch() {
    collector.start();
    context.getConfiguration().getRootLogger().addAppender(collector, Level.ERROR, null);
    context.updateLoggers();
  }

  /** What was logged since the last call. */
  public List<String> take() {
    List<String> taken = List.copyOf(errors);
    errors.clear();
    return taken;
  }

  @Override
  public void close() {
    context.getConfiguration().getRootLogger().removeAppender(collector.getName());
    context.updateLoggers();
    collector.stop();
  }

  private final class Collector extends AbstractAppender {
    Collector() {
      super("errors", null, null, false, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      String message = event.getLoggerName() + ": " + event.getMessage().getFormattedMessage();
      errors.add(event.getThrown() == null ? message : message + ": " + event.getThrown());
    }
  }
}
