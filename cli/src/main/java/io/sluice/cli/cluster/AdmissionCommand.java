package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice admission get|set}. */
@Command(
    name = "admission",
    mixinStandardHelpOptions = true,
    description = "Which applications are let in.")
public final class AdmissionCommand {
  @Command(
      name = "get",
      mixinStandardHelpOptions = true,
      description = "Shows who is let in, and up to which load.")
  int get(@Mixin ClusterOptions options) {
    JsonNode gate = options.calls().get("/admission");
    System.out.print(options.write(gate, () -> text(gate)));
    return ExitCode.OK;
  }

  private static String text(JsonNode gate) {
    return "allowed  "
        + users(gate.path("allow"), "everybody")
        + "\ndenied   "
        + users(gate.path("deny"), "nobody")
        + "\nload     up to "
        + Math.round(gate.path("load_max").asDouble() * 100)
        + " %\n";
  }

  private static String users(JsonNode list, String none) {
    return list.isEmpty()
        ? none
        : String.join(", ", RestCalls.JSON.convertValue(list, String[].class));
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Changes what is named; the rest stays as it is.",
        "It is read, and written right after: of two who do so at once, one may win."
      })
  int set(
      @Mixin ClusterOptions options,
      @Option(
              names = "--allow",
              split = ",",
              paramLabel = "USER",
              description = "users that may register applications; an empty text: everybody")
          @Nullable List<String> allow,
      @Option(
              names = "--deny",
              split = ",",
              paramLabel = "USER",
              description = "users that may not; an empty text: nobody")
          @Nullable List<String> deny,
      @Option(
              names = "--load-max",
              paramLabel = "SHARE",
              description = "of the capacity in use, above 0 and at most 1")
          @Nullable Double loadMax) {
    if (allow == null && deny == null && loadMax == null) {
      throw new CommandFailedException(
          ExitCode.USAGE, "name what to change: --allow, --deny or --load-max");
    }
    options
        .calls()
        .update(
            "/admission",
            gate -> {
              if (allow != null) {
                gate.set("allow", list(allow));
              }
              if (deny != null) {
                gate.set("deny", list(deny));
              }
              return loadMax == null ? gate : gate.put("load_max", loadMax);
            });
    return ExitCode.OK;
  }

  private static ArrayNode list(List<String> users) {
    ArrayNode list = RestCalls.JSON.createArrayNode();
    users.stream().filter(user -> !user.isEmpty()).forEach(list::add);
    return list;
  }
}
