package io.sluice.common.tls;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.file.SmallFile;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The own certificate and the authorities to believe, as files say, now and later. What a file
 * cannot be used for is reported and changes nothing.
 */
public final class TlsMaterial {
  /** Certificates are replaced days before they end; an operator who watches waits that long. */
  public static final long CHECK_SECONDS = 10;

  private static final Logger log = LoggerFactory.getLogger(TlsMaterial.class);

  private final TlsFiles files;
  private final @Nullable SwappingKeyManager keys;
  private final SwappingTrustManager trust;
  private final LongAdder reloads = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final Clock clock;
  // What is in use, and what was said to be of no use; that may change without its files, since
  // certificates begin to be valid at some time. Guarded by this.
  private Contents used;
  private @Nullable Contents refused;
  private final ExpiryNotice expiry = new ExpiryNotice();
  private volatile long endMillis;

  private TlsMaterial(
      TlsFiles files,
      @Nullable Identity identity,
      SwappingTrustManager trust,
      Contents used,
      Clock clock) {
    this.files = files;
    this.keys = identity == null ? null : new SwappingKeyManager(identity);
    this.endMillis = identity == null ? 0 : identity.endMillis();
    this.trust = trust;
    this.used = used;
    this.clock = clock;
  }

  /**
   * Reads the files.
   *
   * @throws SluiceException INVALID_CONFIGURATION naming the one that cannot be used
   */
  public static TlsMaterial open(TlsFiles files) {
    return open(files, Clock.system());
  }

  /** The same by a clock that says what is valid. */
  static TlsMaterial open(TlsFiles files, Clock clock) {
    try {
      Contents contents = Contents.read(files);
      Identity identity = contents.identity(clock);
      return new TlsMaterial(
          files, identity, new SwappingTrustManager(contents.trust()), contents, clock);
    } catch (IOException | GeneralSecurityException e) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, "TLS: " + reason(e), e);
    }
  }

  private static byte[] bytes(Optional<Path> file) throws IOException {
    return file.isPresent() ? SmallFile.bytes(file.get()) : new byte[0];
  }

  /** For contexts; empty if there is no own certificate. */
  public Optional<X509ExtendedKeyManager> keyManager() {
    return Optional.ofNullable(keys);
  }

  /** For contexts. */
  public X509ExtendedTrustManager trustManager() {
    return trust;
  }

  /** Looks at the files every ten seconds from now on, for as long as the scheduler runs. */
  public void watch(Scheduler scheduler) {
    lookForTheEnd();
    scheduler.schedule(
        TimeUnit.SECONDS.toNanos(CHECK_SECONDS),
        () -> {
          reload();
          watch(scheduler);
        });
  }

  private synchronized void lookForTheEnd() {
    if (endMillis > 0) {
      expiry
          .due(endMillis, clock.wallTimeMillis())
          .ifPresent(what -> log.warn("the certificate of this process {}", what));
    }
  }

  /** When the own certificate ends, in seconds since 1970; 0 if there is none. */
  public long endSeconds() {
    return TimeUnit.MILLISECONDS.toSeconds(endMillis);
  }

  /** Looks at the files now; reads of small files block. */
  public synchronized void reload() {
    Contents now;
    try {
      now = Contents.read(files);
    } catch (IOException e) {
      failed(e);
      return;
    }
    if (now.equals(used)) {
      refused = null;
      return;
    }
    try {
      Identity identity = now.identity(clock);
      X509ExtendedTrustManager authorities = now.trust();
      if (keys != null && identity != null) {
        keys.swap(identity);
        endMillis = identity.endMillis();
      }
      trust.swap(authorities);
      used = now;
      refused = null;
      reloads.increment();
      log.info("new certificates are used for new connections");
    } catch (GeneralSecurityException | IOException e) {
      if (!now.equals(refused)) {
        refused = now;
        failed(e);
      }
    }
  }

  private void failed(Exception e) {
    failures.increment();
    log.error("new certificates cannot be used, the old ones stay: {}", reason(e));
    log.debug("refused certificates", e);
  }

  private static String reason(Exception e) {
    if (e instanceof IOException) {
      return IoReason.of((IOException) e);
    }
    String message = e.getMessage();
    return message == null ? e.toString() : message;
  }

  /** How often what the files hold has been taken up since the start. */
  public long reloads() {
    return reloads.sum();
  }

  /** How often it could not be. */
  public long failures() {
    return failures.sum();
  }

  /** The bytes of the files. */
  private static final class Contents {
    private final TlsFiles files;
    private final byte[] certificate;
    private final byte[] key;
    private final byte[] trust;

    private Contents(TlsFiles files, byte[] certificate, byte[] key, byte[] trust) {
      this.files = files;
      this.certificate = certificate;
      this.key = key;
      this.trust = trust;
    }

    static Contents read(TlsFiles files) throws IOException {
      return new Contents(
          files, bytes(files.certificate()), bytes(files.key()), bytes(files.trust()));
    }

    /** Null if none is configured. */
    @Nullable Identity identity(Clock clock) throws GeneralSecurityException {
      if (files.certificate().isEmpty()) {
        return null;
      }
      try {
        return Identity.of(
            certificate, key, Date.from(Instant.ofEpochMilli(clock.wallTimeMillis())));
      } catch (GeneralSecurityException e) {
        throw new GeneralSecurityException(
            files.certificate().get()
                + " with key "
                + files.key().map(Path::toString).orElse("(none)")
                + ": "
                + e.getMessage(),
            e);
      }
    }

    X509ExtendedTrustManager trust() throws GeneralSecurityException, IOException {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(files.trust().isPresent() ? authorities() : (KeyStore) null);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager) {
          return (X509ExtendedTrustManager) manager;
        }
      }
      throw new GeneralSecurityException("this Java runtime has no trust manager for X.509");
    }

    private KeyStore authorities() throws GeneralSecurityException, IOException {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      try {
        for (X509Certificate authority : PemText.certificates(trust)) {
          store.setCertificateEntry("authority-" + ++number, authority);
        }
      } catch (GeneralSecurityException e) {
        throw new GeneralSecurityException(files.trust().get() + ": " + e.getMessage(), e);
      }
      return store;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Contents
          && Arrays.equals(certificate, ((Contents) other).certificate)
          && Arrays.equals(key, ((Contents) other).key)
          && Arrays.equals(trust, ((Contents) other).trust);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(certificate);
    }
  }
}
