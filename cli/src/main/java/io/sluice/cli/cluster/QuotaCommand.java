package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import io.sluice.common.config.DataSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice quota get|set|remove}. */
@Command(
    name = "quota",
    mixinStandardHelpOptions = true,
    description = {
      "How much a user or an application may have in the whole cluster.",
      "WHOSE is user:NAME, application:ID, or user:* and application:* for each without one."
    })
public final class QuotaCommand {
  @Command(name = "get", mixinStandardHelpOptions = true, description = "Shows one quota, or all.")
  int get(
      @Mixin ClusterOptions options,
      @Parameters(
              arity = "0..1",
              paramLabel = "WHOSE",
              description = "only this one, such as user:ada")
          @Nullable String subject) {
    RestCalls calls = options.calls();
    ArrayNode quotas = RestCalls.JSON.createArrayNode();
    if (subject == null) {
      quotas = calls.list("/quotas", "");
    } else {
      quotas.add(calls.get("/quotas/" + RestCalls.part(subject)));
    }
    ArrayNode shown = quotas;
    System.out.print(options.write(shown, () -> table(shown)));
    return ExitCode.OK;
  }

  private static String table(ArrayNode quotas) {
    TextTable table = new TextTable("WHOSE", "BYTES", "PARTITIONS", "APPLICATIONS");
    for (JsonNode quota : quotas) {
      JsonNode limits = quota.path("limits");
      JsonNode bytes = limits.path("bytes");
      table.add(
          quota.path("subject").asText(),
          bytes.isNumber() ? Units.bytes(bytes.asLong()) : "-",
          limits.path("partitions").asText("-"),
          limits.path("applications").asText("-"));
    }
    return table.toString();
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Sets a quota; what is left out is not limited.",
        "It takes the place of the one for each: user:ada with --unlimited is exempt from user:*.",
        "Asked of what is new, a job's next shuffle: what is over it already stays, and a shuffle"
            + " that has begun may go on beyond --bytes.",
        "Bytes under way are stopped by each server's own quotas alone, which are off by default:"
            + " server.quota.user and server.quota.application."
      })
  int set(
      @Mixin ClusterOptions options,
      @Parameters(paramLabel = "WHOSE", description = "such as user:ada") String subject,
      @Option(
              names = "--bytes",
              paramLabel = "SIZE",
              converter = DataSizeConverter.class,
              description = "of blocks, each replica counted, such as 2t")
          @Nullable DataSize bytes,
      @Option(
              names = "--partitions",
              paramLabel = "N",
              description = "of all shuffles, each replica counted")
          @Nullable Long partitions,
      @Option(names = "--applications", paramLabel = "N", description = "at a time")
          @Nullable Long applications,
      @Option(names = "--unlimited", description = "nothing is limited, whatever each other may")
          boolean unlimited) {
    boolean limited = bytes != null || partitions != null || applications != null;
    if (limited == unlimited) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          limited
              ? "--unlimited goes with no limit"
              : "name a limit: --bytes, --partitions or --applications; or --unlimited"
                  + " ('quota remove' takes a quota back)");
    }
    ObjectNode limits = RestCalls.object();
    if (bytes != null) {
      limits.put("bytes", bytes.toBytes());
    }
    if (partitions != null) {
      limits.put("partitions", partitions);
    }
    if (applications != null) {
      limits.put("applications", applications);
    }
    options.calls().change("PUT", "/quotas/" + RestCalls.part(subject), limits.toString());
    return ExitCode.OK;
  }

  @Command(name = "remove", mixinStandardHelpOptions = true, description = "Takes a quota back.")
  int remove(
      @Mixin ClusterOptions options,
      @Parameters(paramLabel = "WHOSE", description = "such as user:ada") String subject) {
    options.calls().change("DELETE", "/quotas/" + RestCalls.part(subject), "");
    return ExitCode.OK;
  }
}
