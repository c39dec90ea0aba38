package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.http.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what: by a token of one of two files, or by the certificate that TLS asked for. Where
 * nothing of that is configured, everybody may do everything if security is off, as over gRPC, and
 * nobody anything if it is on. Immutable.
 */
public final class Access {
  private static final int TOKEN_MIN = 16;
  private static final String BEARER = "bearer ";

  private final byte @Nullable [] reader;
  private final byte @Nullable [] admin;
  private final List<String> adminCertificates;
  private final Role others;

  private Access(
      byte @Nullable [] reader,
      byte @Nullable [] admin,
      List<String> adminCertificates,
      Role others) {
    this.reader = reader;
    this.admin = admin;
    this.adminCertificates = adminCertificates;
    this.others = others;
  }

  /** Who is believed. */
  public static Access open() {
    return new Access(null, null, List.of(), Role.ADMIN);
  }

  /**
   * Reads the tokens.
   *
   * @param adminCertificates names in certificates, in the notation of RFC 2253, that are admins
   * @param secured whether security is on, so that whoever shows nothing may do nothing
   * @throws SluiceException INVALID_CONFIGURATION if a file has no token
   */
  public static Access of(
      Optional<Path> readTokenFile,
      Optional<Path> adminTokenFile,
      List<String> adminCertificates,
      boolean secured) {
    boolean configured =
        secured
            || readTokenFile.isPresent()
            || adminTokenFile.isPresent()
            || !adminCertificates.isEmpty();
    return new Access(
        readTokenFile.map(Access::token).orElse(null),
        adminTokenFile.map(Access::token).orElse(null),
        List.copyOf(adminCertificates),
        configured ? Role.NOBODY : Role.ADMIN);
  }

  private static byte[] token(Path file) {
    String token;
    try {
      token = Files.readString(file).trim();
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "cannot read the token in " + file + ": " + e, e);
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

  /** Whether who shows nothing may do nothing. */
  public boolean isOn() {
    return others == Role.NOBODY;
  }

  /**
   * @throws SluiceException AUTHENTICATION_FAILED if a token is shown that is none of ours
   */
  Role of(Request request) {
    Optional<String> authorization = request.header("authorization");
    if (isOn() && authorization.isPresent()) {
      return ofToken(authorization.get());
    }
    if (request.certificate().isPresent()) {
      boolean isAdmin = adminCertificates.contains(request.certificate().get());
      return isAdmin || !isOn() ? Role.ADMIN : Role.READER;
    }
    return others;
  }

  private Role ofToken(String authorization) {
    if (authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      byte[] shown = hash(authorization.substring(BEARER.length()).trim());
      if (admin != null && MessageDigest.isEqual(admin, shown)) {
        return Role.ADMIN;
      }
      if (reader != null && MessageDigest.isEqual(reader, shown)) {
        return Role.READER;
      }
    }
    throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "that token is not one of ours");
  }

  /** Hashes are of one length, so comparing them tells nothing of a token's. */
  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
