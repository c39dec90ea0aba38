package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice app list|show|kill}. */
@Command(name = "app", mixinStandardHelpOptions = true, description = "Applications of a cluster.")
public final class ApplicationCommand {
  /** What only a driver knows, since an earlier leader placed its shuffle. */
  private static final String NOT_KNOWN = "?";

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists registered applications, and what they hold.")
  int list(
      @Mixin ClusterOptions options,
      @Option(
              names = "--user",
              defaultValue = "",
              paramLabel = "NAME",
              description = "only those of this user")
          String user) {
    String query = user.isEmpty() ? "" : "user=" + RestCalls.part(user);
    ArrayNode all = options.calls().list("/applications", query);
    System.out.print(options.write(all, () -> table(all)));
    return ExitCode.OK;
  }

  private static String table(ArrayNode applications) {
    TextTable table =
        new TextTable("APPLICATION", "ENGINE ID", "USER", "SHUFFLES", "BYTES", "PARTITIONS");
    for (JsonNode one : applications) {
      table.add(
          one.path("id").asText(),
          one.path("engine_id").asText(),
          one.path("user").asText(),
          one.path("shuffles").asText(),
          Units.bytes(one.path("bytes").asLong()),
          one.path("partitions").asText());
    }
    return table.toString();
  }

  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Shows an application, its shuffles, and what servers hold of it.")
  int show(
      @Mixin ClusterOptions options,
      @Parameters(paramLabel = "ID", description = "as 'sluice app list' names it") UUID id) {
    RestCalls calls = options.calls();
    ObjectNode all = RestCalls.object();
    all.setAll((ObjectNode) calls.get("/applications/" + id));
    all.set("shuffles", calls.list("/applications/" + id + "/shuffles", ""));
    System.out.print(options.write(all, () -> tables(all)));
    return ExitCode.OK;
  }

  private static String known(JsonNode shuffle, String name) {
    return shuffle.has(name) ? shuffle.path(name).asText() : NOT_KNOWN;
  }

  private static String tables(JsonNode all) {
    JsonNode application = all.path("application");
    TextTable servers = new TextTable("SERVER", "BYTES", "PARTITIONS");
    for (JsonNode part : all.path("servers")) {
      servers.add(
          part.path("server").asText(),
          Units.bytes(part.path("bytes").asLong()),
          part.path("partitions").asText());
    }
    TextTable shuffles =
        new TextTable("SHUFFLE", "GENERATION", "PARTITIONS", "REPLICAS", "SERVERS", "SKEW");
    for (JsonNode shuffle : all.path("shuffles")) {
      shuffles.add(
          shuffle.path("shuffle").asText(),
          shuffle.path("generation").asText(),
          known(shuffle, "partitions"),
          known(shuffle, "replicas"),
          known(shuffle, "servers"),
          shuffle.has("skew") ? Units.ratio(shuffle.path("skew").asDouble()) : NOT_KNOWN);
    }
    return application.path("engine_id").asText()
        + " of user "
        + application.path("user").asText()
        + ", "
        + Units.bytes(application.path("bytes").asLong())
        + ", the fullest server "
        + Units.ratio(all.path("skew").asDouble())
        + " times the mean\n\n"
        + shuffles
        + "\n"
        + servers;
  }

  @Command(
      name = "kill",
      mixinStandardHelpOptions = true,
      description = {
        "Ends an application and drops its data. Its job fails; the same id is refused for a day.",
        "There is no question whether you are sure."
      })
  int kill(
      @Mixin ClusterOptions options,
      @Parameters(paramLabel = "ID", description = "as 'sluice app list' names it") UUID id) {
    options.calls().change("DELETE", "/applications/" + id, "");
    return ExitCode.OK;
  }
}
