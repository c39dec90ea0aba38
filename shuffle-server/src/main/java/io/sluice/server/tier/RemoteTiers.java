package io.sluice.server.tier;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.net.URI;
import java.util.ServiceLoader;

/** Finds the module for a remote tier on the class path. */
public final class RemoteTiers {
  private RemoteTiers() {}

  /**
   * Opens the tier that the configured root's scheme names.
   *
   * @throws SluiceException INVALID_CONFIGURATION if no module for it is present, or as the module
   *     says; DISK_FAILED if the file system does not answer
   */
  public static RemoteTier open(RemoteTierSettings settings) {
    return provider(settings.storage().root()).open(settings);
  }

  /**
   * Looks whether there is a module for a root.
   *
   * @throws SluiceException INVALID_CONFIGURATION if none is present
   */
  public static void requireModule(String root) {
    provider(root);
  }

  private static RemoteTier.Provider provider(String root) {
    String scheme = URI.create(root).getScheme();
    for (RemoteTier.Provider provider : ServiceLoader.load(RemoteTier.Provider.class)) {
      if (provider.scheme().equals(scheme)) {
        return provider;
      }
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "no module for "
            + root
            + " is on the class path: put sluice-tier-"
            + scheme
            + " and what it needs there, or remove the setting");
  }
}
