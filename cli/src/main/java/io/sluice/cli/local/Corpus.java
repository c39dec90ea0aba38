package io.sluice.cli.local;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A real text to count words of: Isaac Newton's <i>Opticks</i>, fourth edition of 1730, in the
 * public domain; 9,276 lines, 100,785 words. Every file holds the whole book, so that each map task
 * has one.
 *
 * @param directory holds the files
 * @param lines in all of them
 */
public record Corpus(Path directory, long lines) {
  private static final String RESOURCE = "opticks.txt";

  /** Writes so many copies into a new directory. */
  public static Corpus writeTo(Path directory, int copies) throws IOException {
    byte[] book;
    try (InputStream resource = Corpus.class.getResourceAsStream(RESOURCE)) {
      if (resource == null) {
        throw new FileNotFoundException("resource " + RESOURCE);
      }
      book = resource.readAllBytes();
    }
    Files.createDirectories(directory);
    for (int i = 0; i < copies; i++) {
      Files.write(directory.resolve(String.format(Locale.ROOT, "opticks-%04d.txt", i)), book);
    }
    long lines = new String(book, StandardCharsets.UTF_8).lines().count();
    return new Corpus(directory, lines * copies);
  }
}
