package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.file.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where the tokens are. */
record TokenFiles(Optional<Path> reader, Optional<Path> admin) {
  private static final int TOKEN_MIN = 16;

  boolean none() {
    return reader.isEmpty() && admin.isEmpty();
  }

  /**
   * @throws SluiceException INVALID_CONFIGURATION if a file has no token, or both have the same one
   */
  Tokens read() {
    Tokens tokens =
        new Tokens(
            reader.map(TokenFiles::token).orElse(null), admin.map(TokenFiles::token).orElse(null));
    if (tokens.areOne()) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "the token for readers is that for admins: "
              + reader.orElseThrow()
              + " and "
              + admin.orElseThrow()
              + " have to differ");
    }
    return tokens;
  }

  /** Tells of each file what keeps {@link #read} from using it. */
  void check(Consumer<String> problems) {
    List<String> found = new ArrayList<>();
    Stream.of(reader, admin)
        .flatMap(Optional::stream)
        .forEach(file -> attempt(() -> token(file), found));
    if (found.isEmpty()) {
      attempt(this::read, found);
    }
    found.forEach(problems);
  }

  private static void attempt(Runnable reading, List<String> problems) {
    try {
      reading.run();
    } catch (SluiceException e) {
      problems.add(e.detail());
    }
  }

  private static byte[] token(Path file) {
    String token;
    try {
      token = SmallFile.text(file).trim();
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "a token cannot be read: " + IoReason.of(e), e);
    }
    boolean printable = token.chars().allMatch(c -> c > ' ' && c < 127);
    if (token.length() < TOKEN_MIN || !printable) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          file
              + " has no token of at least "
              + TOKEN_MIN
              + " printable letters: openssl rand -hex 32 makes one");
    }
    return hash(token);
  }

  /** Hashes are of one length, so comparing them tells nothing of a token's. */
  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** What the files held, as hashes. Immutable. */
  static final class Tokens {
    private final byte @Nullable [] reader;
    private final byte @Nullable [] admin;

    private Tokens(byte @Nullable [] reader, byte @Nullable [] admin) {
      this.reader = reader;
      this.admin = admin;
    }

    /** Whether readers would be admins. */
    boolean areOne() {
      return reader != null && admin != null && MessageDigest.isEqual(reader, admin);
    }

    /** NOBODY if it is neither. */
    Role roleOf(String token) {
      byte[] shown = hash(token);
      if (admin != null && MessageDigest.isEqual(admin, shown)) {
        return Role.ADMIN;
      }
      return reader != null && MessageDigest.isEqual(reader, shown) ? Role.READER : Role.NOBODY;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Tokens tokens
          && MessageDigest.isEqual(reader, tokens.reader)
          && MessageDigest.isEqual(admin, tokens.admin);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(admin);
    }
  }
}
