package org.apache.spark.shuffle.sluice;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs of WARN and above until this is closed: each line with what was thrown. */
public final class LoggedLines extends AbstractAppender implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LoggedLines(Class<?> logging) {
    super("lines of " + logging.getSimpleName(), null, null, false, Property.EMPTY_ARRAY);
    this.logger = (Logger) LogManager.getLogger(logging);
  }

  public static LoggedLines of(Class<?> logging) {
    LoggedLines logged = new LoggedLines(logging);
    logged.start();
    logged.logger.addAppender(logged);
    logged.logger.setLevel(Level.WARN);
    return logged;
  }

  public List<String> lines() {
    return lines;
  }

  @Override
  public void append(LogEvent event) {
    lines.add(event.getMessage().getFormattedMessage() + " " + event.getThrown());
  }

  @Override
  public void close() {
    logger.removeAppender(this);
    stop();
  }
}
