package io.sluice.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Takes those of Spark's masters that need nothing but this machine. */
public final class MasterConverter implements ITypeConverter<String> {
  private static final Pattern LOCAL = Pattern.compile("local(\\[(\\*|[1-9]\\d{0,3})])?");
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[[1-9]\\d{0,3},[1-9]\\d{0,3},([1-9]\\d{0,6})]");

  /** Spark refuses executors with less: one and a half times the 300 MiB that it reserves. */
  private static final int EXECUTOR_MIB_MIN = 450;

  @Override
  public String convert(String text) {
    Matcher cluster = LOCAL_CLUSTER.matcher(text);
    if (!LOCAL.matcher(text).matches() && !cluster.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is neither local[N] nor local-cluster[executors,cores,MiB]");
    }
    if (cluster.matches() && Integer.parseInt(cluster.group(1)) < EXECUTOR_MIB_MIN) {
      throw new TypeConversionException(
          "executors of '" + text + "' need at least " + EXECUTOR_MIB_MIN + " MiB");
    }
    return text;
  }
}
