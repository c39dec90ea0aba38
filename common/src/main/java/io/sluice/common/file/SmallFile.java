package io.sluice.common.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * A file that holds settings, a key or certificates: read whole, and more than once in a process's
 * life, which a pipe does not allow. What is wrong is said by {@link IoReason#of}.
 */
public final class SmallFile {
  /** Certificates of a hundred authorities are a quarter of it. */
  static final long MAX_BYTES = 1 << 20;

  private SmallFile() {}

  /**
   * The bytes of a file.
   *
   * @throws FileSystemException if it is not there, is no regular file, or is larger than 1 MiB
   * @throws IOException if it cannot be read
   */
  public static byte[] bytes(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw failure(
          file,
          attributes.isDirectory()
              ? "a directory"
              : "not a regular file, and it has to be read more than once");
    }
    if (attributes.size() > MAX_BYTES) {
      throw failure(file, "larger than 1 MiB, so it cannot be what is meant");
    }
    return Files.readAllBytes(file);
  }

  /**
   * The text of a file in UTF-8.
   *
   * @throws FileSystemException as {@link #bytes} does, and if it is no UTF-8, naming the line
   * @throws IOException if it cannot be read
   */
  public static String text(Path file) throws IOException {
    byte[] bytes = bytes(file);
    CharBuffer decoded = CharBuffer.allocate(bytes.length);
    CoderResult result =
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes), decoded, true);
    decoded.flip();
    if (result.isError()) {
      long line = 1 + decoded.chars().filter(c -> c == '\n').count();
      throw failure(file, "not UTF-8, see line " + line);
    }
    return decoded.toString();
  }

  /** Why {@link #bytes} would fail, naming the file; empty if it would not. Reads it. */
  public static Optional<String> problem(Path file) {
    try {
      bytes(file);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(IoReason.of(e));
    }
  }

  private static FileSystemException failure(Path file, String reason) {
    return new FileSystemException(file.toString(), null, reason);
  }
}
