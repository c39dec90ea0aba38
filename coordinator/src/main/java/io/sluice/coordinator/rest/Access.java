package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.http.Request;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may do what: by a token of one of two files, or by the certificate that TLS asked for. Where
 * nothing of that is configured, everybody may do everything if security is off, as over gRPC, and
 * nobody anything if it is on. Tokens that are replaced are taken up, as certificates are.
 * Thread-safe.
 */
public final class Access {
  /** As often as certificates are looked at. */
  public static final long CHECK_SECONDS = 10;

  private static final Logger log = LoggerFactory.getLogger(Access.class);
  private static final String BEARER = "bearer ";

  private final TokenFiles files;
  private final List<String> adminCertificates;
  private final Role others;
  private volatile TokenFiles.Tokens tokens;
  // What was last said of files that cannot be used, so as to say it once. Guarded by this.
  private String complaint = "";

  private Access(TokenFiles files, List<String> adminCertificates, Role others) {
    this.files = files;
    this.adminCertificates = adminCertificates;
    this.others = others;
    this.tokens = files.read();
  }

  /** Who is believed. */
  public static Access open() {
    return new Access(new TokenFiles(Optional.empty(), Optional.empty()), List.of(), Role.ADMIN);
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
        new TokenFiles(readTokenFile, adminTokenFile),
        List.copyOf(adminCertificates),
        configured ? Role.NOBODY : Role.ADMIN);
  }

  /** Tells what is wrong with files of tokens. */
  public static void check(
      Optional<Path> readTokenFile, Optional<Path> adminTokenFile, Consumer<String> problems) {
    new TokenFiles(readTokenFile, adminTokenFile).check(problems);
  }

  /** Looks at the files every ten seconds from now on, for as long as the scheduler runs. */
  public void watch(Scheduler scheduler) {
    if (files.none()) {
      return;
    }
    scheduler.schedule(
        TimeUnit.SECONDS.toNanos(CHECK_SECONDS),
        () -> {
          reload();
          watch(scheduler);
        });
  }

  /** Looks at the files now; reads of small files block. */
  synchronized void reload() {
    try {
      TokenFiles.Tokens now = files.read();
      if (!now.equals(tokens)) {
        tokens = now;
        log.info("new tokens are used for REST from now on");
      }
      complaint = "";
    } catch (SluiceException e) {
      if (!e.detail().equals(complaint)) {
        complaint = e.detail();
        log.error("new tokens for REST cannot be used, the old ones stay: {}", complaint, e);
      }
    }
  }

  /** Whether who shows nothing may do nothing. */
  public boolean isOn() {
    return others == Role.NOBODY;
  }

  /**
   * @throws SluiceException AUTHENTICATION_FAILED if a token is shown that is none of ours
   */
  Caller of(Request request) {
    Optional<String> authorization = request.header("authorization");
    if (isOn() && authorization.isPresent()) {
      Role role = ofToken(authorization.get());
      return new Caller(role, role == Role.ADMIN ? "admin-token" : "read-token", request.from());
    }
    if (request.certificate().isPresent()) {
      String name = request.certificate().get();
      boolean isAdmin = adminCertificates.contains(name);
      return new Caller(isAdmin || !isOn() ? Role.ADMIN : Role.READER, name, request.from());
    }
    return new Caller(others, isOn() ? "nobody" : "anybody", request.from());
  }

  private Role ofToken(String authorization) {
    if (authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      Role role = tokens.roleOf(authorization.substring(BEARER.length()).trim());
      if (role != Role.NOBODY) {
        return role;
      }
    }
    throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "that token is not one of ours");
  }
}
