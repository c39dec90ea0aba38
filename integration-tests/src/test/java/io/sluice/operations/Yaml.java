package io.sluice.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A place in a YAML or JSON document. */
record Yaml(Object value) {

  static Yaml read(Path file) throws IOException {
    return documents(Files.readString(file)).get(0);
  }

  /** Those of a stream of documents that are not empty. */
  static List<Yaml> documents(String text) {
    List<Yaml> documents = new ArrayList<>();
    for (Object document :
        new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text)) {
      if (document != null) {
        documents.add(new Yaml(document));
      }
    }
    return documents;
  }

  /**
   * What lies under a path of keys with dots between them.
   *
   * @throws NullPointerException if nothing does
   */
  Yaml at(String path) {
    Object here = value;
    for (String key : path.split("\\.")) {
      here = Objects.requireNonNull(((Map<?, ?>) here).get(key), path);
    }
    return new Yaml(here);
  }

  boolean has(String key) {
    return value instanceof Map<?, ?> map && map.get(key) != null;
  }

  /** Elements of a list; none if there is no such list. */
  List<Yaml> each(String path) {
    int last = path.lastIndexOf('.') + 1;
    Yaml parent = last == 0 ? this : at(path.substring(0, last - 1));
    if (!parent.has(path.substring(last))) {
      return List.of();
    }
    List<Yaml> elements = new ArrayList<>();
    ((List<?>) at(path).value()).forEach(element -> elements.add(new Yaml(element)));
    return elements;
  }

  String text() {
    return String.valueOf(value);
  }

  int number() {
    return ((Number) value).intValue();
  }

  @Override
  public String toString() {
    return text();
  }
}
