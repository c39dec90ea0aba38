package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice shuffle show}. */
@Command(
    name = "shuffle",
    mixinStandardHelpOptions = true,
    description = "Shuffles of an application.")
public final class ShuffleCommand {
  private static final int PART = 1_000;

  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = {
        "Shows where the partitions of a shuffle were first placed.",
        "Of one that an earlier leader placed only its driver knows; then what servers hold of the"
            + " application is shown. A driver tells a new leader with its next heartbeat."
      })
  int show(
      @Mixin ClusterOptions options,
      @Parameters(
              index = "0",
              paramLabel = "APPLICATION",
              description = "as 'sluice app list' names it")
          UUID application,
      @Parameters(
              index = "1",
              paramLabel = "SHUFFLE",
              description = "the number that the engine gave it")
          int shuffle,
      @Option(
              names = "--generation",
              paramLabel = "N",
              description = "which placement of that number; by default the newest there is")
          @Nullable Integer generation) {
    RestCalls calls = options.calls();
    String shuffles = "/applications/" + application + "/shuffles";
    int which = generation == null ? newest(calls, shuffles, shuffle) : generation;
    String path = shuffles + "/" + shuffle + "/" + which;
    ObjectNode all = (ObjectNode) calls.get(path);
    if (all.path("earlier").asBoolean()) {
      // Nobody but its driver knows where; but servers say whose bytes they have.
      all.set("application_on", calls.get("/applications/" + application).path("servers"));
      System.out.print(options.write(all, () -> earlier(all)));
      return ExitCode.OK;
    }
    int partitions = all.path("partitions").asInt();
    ArrayNode servers = RestCalls.JSON.createArrayNode();
    ArrayNode sets = RestCalls.JSON.createArrayNode();
    for (int first = 0; first < partitions; first += PART) {
      JsonNode part = calls.get(path + "/placement", "limit=" + PART + "&first=" + first);
      servers = (ArrayNode) part.path("servers");
      part.path("replica_sets").forEach(sets::add);
    }
    all.set("server_ids", servers);
    all.set("replica_sets", sets);
    System.out.print(options.write(all, () -> table(all)));
    return ExitCode.OK;
  }

  /** One that was placed ahead, and had other partitions then, leaves its number to the next. */
  private static int newest(RestCalls calls, String shuffles, int shuffle) {
    String before =
        shuffle == 0
            ? ""
            : String.format(Locale.ROOT, "&after=%010d-%010d", shuffle - 1, Integer.MAX_VALUE);
    int newest = 0;
    for (JsonNode each : calls.get(shuffles, "limit=" + PART + before).path("items")) {
      if (each.path("shuffle").asInt() == shuffle) {
        newest = each.path("generation").asInt();
      }
    }
    return newest;
  }

  private static String earlier(JsonNode all) {
    TextTable servers = new TextTable("SERVER", "BYTES", "PARTITIONS");
    for (JsonNode part : all.path("application_on")) {
      servers.add(
          part.path("server").asText(),
          Units.bytes(part.path("bytes").asLong()),
          part.path("partitions").asText());
    }
    return all.path("copies").asText()
        + " copies of partitions, placed by an earlier leader: its driver alone knows where."
        + " All that servers hold of the application:\n\n"
        + servers;
  }

  private static String table(JsonNode all) {
    TextTable table = new TextTable("PARTITION", "SERVERS");
    int partition = 0;
    for (JsonNode set : all.path("replica_sets")) {
      List<String> names = new ArrayList<>();
      set.forEach(member -> names.add(all.path("server_ids").path(member.asInt()).asText()));
      table.add(Integer.toString(partition++), String.join(" ", names));
    }
    return all.path("partitions").asText()
        + " partitions x "
        + all.path("replicas").asText()
        + " on "
        + all.path("servers").asText()
        + " servers, at most "
        + Units.ratio(all.path("skew").asDouble())
        + " times the mean\n\n"
        + table;
  }
}
