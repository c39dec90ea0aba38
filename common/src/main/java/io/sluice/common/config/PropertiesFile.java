package io.sluice.common.config;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.IoReason;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
      collector.load(new StringReader(text(Files.readAllBytes(path), path)));
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "cannot read the settings of " + path + ": " + IoReason.of(e),
          e);
    } catch (IllegalArgumentException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "cannot read the settings of "
              + path
              + ": a \\u is not followed by four hexadecimal digits",
          e);
    }
    return file;
  }

  /** UTF-8, behind the mark that some editors put before it. */
  private static String text(byte[] bytes, Path path) {
    ByteBuffer encoded = ByteBuffer.wrap(bytes);
    CharBuffer decoded = CharBuffer.allocate(bytes.length);
    CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(encoded, decoded, true);
    decoded.flip();
    if (result.isError()) {
      long line = 1 + decoded.chars().filter(c -> c == '\n').count();
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, path + " is not UTF-8: see line " + line);
    }
    String text = decoded.toString();
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  /** In the order of the file. */
  List<Assignment> assignments() {
    return assignments;
  }
}
