package io.sluice.cli.local;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A real text to count words of: Isaac Newton's <i>Opticks</i>, fourth edition of 1730, in the
 * public domain; 9,280 lines, 100,000 words. One file per map task holds the whole book.
 */
public final class Corpus {
  private static final String RESOURCE = "opticks.txt";

  private Corpus() {}

  /** Writes so many copies into a new directory, and returns that directory. */
  public static Path writeTo(Path directory, int copies) throws IOException {
    byte[] book;
    try (InputStream resource = Corpus.class.getResourceAsStream(RESOURCE)) {
      if (resource == null) {
        throw new FileNotFoundException("resource " + RESOURCE);
      }
      book = resource.readAllBytes();
    }
    Files.createDirectories(directory);
    for (int i = 0; i < copies; i++) {
      Files.write(directory.resolve(String.format("opticks-%04d.txt", i)), book);
    }
    return directory;
  }
}
