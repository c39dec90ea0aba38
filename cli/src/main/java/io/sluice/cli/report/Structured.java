package io.sluice.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.List;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** Answers for programs. */
public final class Structured {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Structured() {}

  /** Indented JSON, ended by a line break. */
  public static String json(JsonNode value) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One YAML document in block style. */
  public static String yaml(JsonNode value) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setIndicatorIndent(0);
    Object plain = MAPPER.convertValue(value, new TypeReference<Object>() {});
    return new Yaml(options).dump(plain);
  }

  /** The same of a list. */
  static String yaml(List<JsonNode> values) {
    return yaml(MAPPER.<JsonNode>valueToTree(values));
  }
}
