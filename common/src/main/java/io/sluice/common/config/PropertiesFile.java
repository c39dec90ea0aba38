package io.sluice.common.config;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.file.SmallFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A Java properties file, UTF-8, as it is written: a key may be there twice. */
final class PropertiesFile {
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final List<Assignment> assignments = new ArrayList<>();

  private PropertiesFile() {}

  static PropertiesFile read(Path path) {
    PropertiesFile file = new PropertiesFile();
    Properties collector =
        new Properties() {
          @Override
          public synchronized Object put(Object key, Object value) {
            // load() puts each line's pair in file order.
            file.assignments.add(new Assignment((String) key, (String) value));
            return value;
          }
        };
    try {
      collector.load(new StringReader(text(path)));
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "cannot read settings: " + IoReason.of(e), e);
    } catch (IllegalArgumentException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "cannot read settings: " + path + ": a \\u is not followed by four hexadecimal digits",
          e);
    }
    return file;
  }

  /** Behind the mark that some editors put before it. */
  private static String text(Path path) throws IOException {
    String text = SmallFile.text(path);
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  /** In the order of the file. */
  List<Assignment> assignments() {
    return assignments;
  }
}
