package io.sluice.common.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Answers with the identity there is now. A handshake first chooses a name and then asks for its
 * key and certificate; so each identity has a name of its own, and the one before the latest can
 * still be asked for.
 */
final class SwappingKeyManager extends X509ExtendedKeyManager {
  private final ConcurrentMap<String, Identity> identities = new ConcurrentHashMap<>();
  private volatile int current;

  SwappingKeyManager(Identity first) {
    identities.put(name(0), first);
  }

  /** By one thread at a time. */
  void swap(Identity next) {
    int number = current + 1;
    identities.put(name(number), next);
    current = number;
    identities.remove(name(number - 2));
  }

  private static String name(int number) {
    return "sluice-" + number;
  }

  private @Nullable String choose(String... keyTypes) {
    String now = name(current);
    Identity identity = identities.get(now);
    if (identity != null) {
      for (String keyType : keyTypes) {
        if (keyType.equals(identity.key().getAlgorithm())) {
          return now;
        }
      }
    }
    return null;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return choose(keyType);
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return choose(keyTypes);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return choose(keyType);
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return choose(keyTypes);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    String name = choose(keyType);
    return name == null ? null : new String[] {name};
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return getServerAliases(keyType, issuers);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String name) {
    Identity identity = identities.get(name);
    return identity == null ? null : identity.chain();
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String name) {
    Identity identity = identities.get(name);
    return identity == null ? null : identity.key();
  }
}
