package io.sluice.common.tls;

import io.sluice.common.file.IoReason;
import io.sluice.common.file.SmallFile;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;

/**
 * What would keep files from being used for TLS, told of each file, whatever the others are, and of
 * a certificate and a key that are right by themselves and do not belong together. Reads them,
 * which blocks. One thread.
 */
public final class TlsProblems {
  private final List<String> found = new ArrayList<>();
  private final Date now;

  private TlsProblems(Clock clock) {
    now = Date.from(Instant.ofEpochMilli(clock.wallTimeMillis()));
  }

  /**
   * All that would keep {@link TlsMaterial#open} from using these files; empty if nothing would.
   *
   * @param certificateName of the setting that names the file, as its user knows it; so with others
   */
  public static List<String> of(
      TlsFiles files, String certificateName, String keyName, String trustName) {
    return of(files, certificateName, keyName, trustName, Clock.system());
  }

  /** The same by a clock that says what is valid. */
  static List<String> of(
      TlsFiles files, String certificateName, String keyName, String trustName, Clock clock) {
    TlsProblems problems = new TlsProblems(clock);
    boolean certificate =
        problems.isRight(
            certificateName, files.certificate(), pem -> Identity.requireValid(pem, problems.now));
    boolean key = problems.isRight(keyName, files.key(), PemText::requirePrivateKey);
    if (certificate && key) {
      problems.pair(
          certificateName, files.certificate().orElseThrow(), keyName, files.key().orElseThrow());
    }
    problems.isRight(trustName, files.trust(), PemText::certificates);
    return problems.found;
  }

  /** Whether the file is given, and nothing is wrong with it; tells what is. */
  private boolean isRight(String name, Optional<Path> file, Check check) {
    if (file.isEmpty()) {
      return false;
    }
    try {
      check.of(SmallFile.bytes(file.get()));
      return true;
    } catch (IOException e) {
      found.add(name + " cannot be read: " + IoReason.of(e));
    } catch (GeneralSecurityException e) {
      found.add(name + " = " + file.get() + ": " + e.getMessage());
    }
    return false;
  }

  private void pair(String certificateName, Path certificate, String keyName, Path key) {
    try {
      Identity.of(SmallFile.bytes(certificate), SmallFile.bytes(key), now);
    } catch (IOException e) {
      // Each could be read just now.
      found.add(certificateName + " or " + keyName + " cannot be read: " + IoReason.of(e));
    } catch (GeneralSecurityException e) {
      found.add(
          certificateName
              + " = "
              + certificate
              + ", "
              + keyName
              + " = "
              + key
              + ": "
              + e.getMessage());
    }
  }

  /** What a file's bytes have to be. */
  @FunctionalInterface
  private interface Check {
    void of(byte[] pem) throws GeneralSecurityException;
  }
}
