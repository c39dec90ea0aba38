package io.sluice.common.config;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** A Java properties file, UTF-8, that tells when a key is given twice. */
final class PropertiesFile {
  private final Map<String, String> values = new LinkedHashMap<>();
  private final Set<String> duplicates = new TreeSet<>();

  private PropertiesFile() {}

  static PropertiesFile read(Path path) {
    PropertiesFile file = new PropertiesFile();
    Properties collector =
        new Properties() {
          @Override
          public synchronized Object put(Object key, Object value) {
            // load() puts each line's pair in file order.
            if (file.values.put((String) key, (String) value) != null) {
              file.duplicates.add((String) key);
            }
            return value;
          }
        };
    try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      collector.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "cannot read " + path + ": " + e, e);
    }
    return file;
  }

  Map<String, String> values() {
    return values;
  }

  Set<String> duplicates() {
    return duplicates;
  }
}
