package io.sluice.operations;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * JSON schemas of Kubernetes' kinds, one file each, cut from the API description in Kubernetes' own
 * sources, as Go's module cache has them after {@code go mod download k8s.io/kubernetes@VERSION}.
 */
final class KubernetesSchemas {
  private static final String DESCRIPTION = "api/openapi-spec/swagger.json";
  private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final ObjectMapper JSON = new ObjectMapper();

  private KubernetesSchemas() {}

  /** Writes them into a directory, or skips the test where there is no description. */
  static Path orSkip(Path directory) throws IOException {
    Optional<Path> description = description();
    Assumptions.assumeTrue(
        description.isPresent(), "no API description of Kubernetes is on this machine");
    ObjectNode definitions =
        (ObjectNode) JSON.readTree(description.orElseThrow().toFile()).get("definitions");
    Files.createDirectories(directory);
    definitions.forEach(KubernetesSchemas::closed);
    types(definitions, INT_OR_STRING, "string", "integer");
    types(definitions, QUANTITY, "string", "number");
    JSON.writeValue(
        directory.resolve("definitions.json").toFile(),
        JSON.createObjectNode().set("definitions", definitions));
    for (Map.Entry<String, JsonNode> definition : definitions.properties()) {
      for (JsonNode kind : definition.getValue().path("x-kubernetes-group-version-kind")) {
        if (!kind.get("version").asText().contains("alpha")) {
          String file = kind.get("kind").asText().toLowerCase(java.util.Locale.ROOT) + ".json";
          JSON.writeValue(
              directory.resolve(file).toFile(),
              Map.of("$ref", "definitions.json#/definitions/" + definition.getKey()));
        }
      }
    }
    return directory;
  }

  private static Optional<Path> description() throws IOException {
    Path modules = Path.of(System.getProperty("user.home"), "go", "pkg", "mod", "k8s.io");
    if (!Files.isDirectory(modules)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(modules)) {
      return versions
          .filter(version -> String.valueOf(version.getFileName()).startsWith("kubernetes@"))
          .map(version -> version.resolve(DESCRIPTION))
          .filter(Files::exists)
          .max(Comparator.naturalOrder());
    }
  }

  /** A property that nobody knows is a mistake. */
  private static void closed(JsonNode definition) {
    if (definition instanceof ObjectNode object && object.has("properties")) {
      object.put("additionalProperties", false);
    }
  }

  private static void types(ObjectNode definitions, String name, String... types) {
    ArrayNode choices = JSON.createArrayNode();
    List.of(types).forEach(choices::add);
    ((ObjectNode) definitions.get(name)).set("type", choices);
  }
}
