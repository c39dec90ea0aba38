package io.sluice.cli;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.UnusableSparkException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import picocli.CommandLine;

/** What commands exit with; numbers above 63 are those of BSD's {@code sysexits.h}. */
public final class ExitCode {
  public static final int OK = 0;

  /** The command ran, and what it checked is not so: results differ, a job failed. */
  public static final int FAILED = 1;

  /** Wrong arguments. */
  public static final int USAGE = 64;

  /** Something needed does not answer: a port is taken, a server does not start. */
  public static final int UNAVAILABLE = 69;

  /** A bug of ours; the stack trace says where. */
  public static final int SOFTWARE = 70;

  /** The disk is full or broken, or what was to reach it did not. */
  public static final int IO_ERROR = 74;

  /** Wrong configuration, or wrong software beside us. */
  public static final int CONFIGURATION = 78;

  private ExitCode() {}

  /** Runs a command and turns whatever comes of it into a message and one of these numbers. */
  public static int run(CommandLine command, String... args) {
    command.setParameterExceptionHandler(
        (wrong, given) -> {
          CommandLine failed = wrong.getCommandLine();
          failed.getErr().println(name(failed) + ": " + wrong.getMessage());
          failed.getErr().println("Try '" + name(failed) + " --help'.");
          return USAGE;
        });
    command.setExecutionExceptionHandler(
        (failure, failed, given) -> {
          int code = of(failure);
          failed.getErr().println(name(failed) + ": " + message(failure));
          if (code == SOFTWARE) {
            failure.printStackTrace(failed.getErr());
          }
          return code;
        });
    return command.execute(args);
  }

  /** As it was typed, such as {@code sluice server run}. */
  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  static int of(Throwable failure) {
    if (failure instanceof CommandFailedException failed) {
      return failed.exitCode();
    }
    if (failure instanceof SluiceException coded) {
      return of(coded.code());
    }
    if (failure instanceof ChildFailedException) {
      return UNAVAILABLE;
    }
    if (failure instanceof UnusableSparkException) {
      return CONFIGURATION;
    }
    if (failure instanceof JobFailedException) {
      return FAILED;
    }
    return failure instanceof IOException ? IO_ERROR : SOFTWARE;
  }

  private static int of(ErrorCode code) {
    return switch (code) {
      case INVALID_CONFIGURATION, INVALID_ARGUMENT -> CONFIGURATION;
      case NO_DISK_SPACE, DISK_FAILED, CORRUPT_CATALOG, CORRUPT_UNIT, DATA_LOST -> IO_ERROR;
      default -> code == ErrorCode.INTERNAL_ERROR ? SOFTWARE : UNAVAILABLE;
    };
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    if (failure instanceof FileSystemException file && file.getReason() == null) {
      return failure.getClass().getSimpleName() + ": " + message;
    }
    return message == null ? failure.toString() : message;
  }
}
