package io.sluice.common.security;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.common.file.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The key of a cluster's members and operators. One is used; others may be accepted, so that a key
 * can be replaced while the cluster runs.
 */
public final class ClusterKey {
  private static final int MAX_KEYS = 8;

  private final List<Keys> keys;
  private final List<Verifier> accepted;

  private ClusterKey(List<Keys> keys) {
    this.keys = List.copyOf(keys);
    this.accepted = keys.stream().map(Keys::verifier).collect(Collectors.toUnmodifiableList());
  }

  /**
   * The keys in this order: the first is used, all are accepted.
   *
   * @throws SluiceException INVALID_CONFIGURATION if there are none, or more than eight
   */
  public static ClusterKey of(List<Secret> secrets) {
    if (secrets.isEmpty() || secrets.size() > MAX_KEYS) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          secrets.size() + " cluster keys, there must be 1 to " + MAX_KEYS);
    }
    return new ClusterKey(
        secrets.stream().map(Keys::ofCluster).collect(Collectors.toUnmodifiableList()));
  }

  /**
   * Reads a file with a key on each line; empty lines and those that begin with # are skipped.
   *
   * @throws SluiceException INVALID_CONFIGURATION if it cannot be read or has no usable key
   */
  public static ClusterKey read(Path file) {
    List<Secret> secrets = new ArrayList<>();
    try {
      for (String line : SmallFile.text(file).lines().toArray(String[]::new)) {
        String key = line.trim();
        if (!key.isEmpty() && !key.startsWith("#")) {
          secrets.add(Secret.of(key));
        }
      }
      return of(secrets);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "the cluster key cannot be read: " + IoReason.of(e), e);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION, "in the cluster key " + file + ": " + e.detail(), e);
    }
  }

  /** The keys to prove oneself with. */
  public Keys own() {
    return keys.get(0);
  }

  /** The verifiers of all that are accepted. */
  public List<Verifier> accepted() {
    return accepted;
  }

  /** Whether a control call comes from a member or an operator. */
  public boolean acceptsControlKey(byte[] controlKey) {
    boolean accepts = false;
    for (Verifier verifier : accepted) {
      accepts |= verifier.acceptsControlKey(controlKey);
    }
    return accepts;
  }

  @Override
  public String toString() {
    return "ClusterKey";
  }
}
