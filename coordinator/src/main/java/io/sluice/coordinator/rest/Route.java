package io.sluice.coordinator.rest;

import io.sluice.coordinator.cluster.Cluster;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One operation of the interface.
 *
 * @param template such as {@code /api/v1/servers/{server}}
 * @param parameters that it understands in the query; any other is refused
 * @param role who may call it
 */
record Route(
    String method, List<String> template, Set<String> parameters, Role role, Operation operation) {
  /** What is done, on the control thread of the leader; must not block. */
  @FunctionalInterface
  interface Operation {
    /**
     * @param names what stands for the names in the template
     * @return what is to become JSON, an immutable view
     */
    CompletionStage<Object> run(Cluster cluster, Call call, Map<String, String> names);
  }

  /** What only looks. */
  @FunctionalInterface
  interface View {
    Object look(Cluster cluster, Call call, Map<String, String> names);
  }

  static Route get(String template, View view, String... parameters) {
    return getLater(
        template,
        (cluster, call, names) ->
            CompletableFuture.completedFuture(view.look(cluster, call, names)),
        parameters);
  }

  /** What only looks, when it is time to. */
  static Route getLater(String template, Operation operation, String... parameters) {
    return new Route("GET", split(template), Set.of(parameters), Role.READER, operation);
  }

  static Route change(String method, String template, Operation operation, String... parameters) {
    return new Route(method, split(template), Set.of(parameters), Role.ADMIN, operation);
  }

  private static List<String> split(String template) {
    return Arrays.asList(template.substring(1).split("/", -1));
  }

  /** What stands for the names in the template; empty if the path is another one. */
  Optional<Map<String, String>> match(List<String> segments) {
    if (segments.size() != template.size()) {
      return Optional.empty();
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < segments.size(); i++) {
      String part = template.get(i);
      if (part.startsWith("{")) {
        names.put(part.substring(1, part.length() - 1), segments.get(i));
      } else if (!part.equals(segments.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(names);
  }
}
