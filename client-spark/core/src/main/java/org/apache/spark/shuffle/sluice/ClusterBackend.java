package org.apache.spark.shuffle.sluice;

import io.sluice.client.ClientSecurity;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.EndListener;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.placement.Placements;
import io.sluice.common.security.Secret;
import io.sluice.common.tls.Tls;
import java.time.Duration;
import java.util.Optional;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.CoordinatedPlacements;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.store.ServerStore;
import org.apache.spark.shuffle.sluice.store.ShuffleStore;
import org.apache.spark.util.Utils;

/** The coordinators and servers that the configuration names. */
final class ClusterBackend implements ShuffleBackend {
  /** After this one coordinator is left for the next. */
  private static final Duration ATTEMPT = Duration.ofSeconds(5);

  @Override
  public ShufflePlacements placements(
      SluiceConfig config, String engineId, ServerListener listener, EndListener end) {
    Registration registration =
        new Registration(
                config.application(), engineId, Utils.getCurrentUserName(), "spark", version())
            .withWishes(config.placementWishes());
    CoordinatorClientConfig coordinators =
        new CoordinatorClientConfig(config.coordinators(), config.coordinatorDeadline(), ATTEMPT);
    return new CoordinatedPlacements(
        CoordinatorClient.open(coordinators, security(config)),
        registration,
        config.replicas(),
        config.placementPatience(),
        listener,
        end);
  }

  @Override
  public ShuffleStore store(SluiceConfig config, Placements placements) {
    return ServerStore.open(config.clientConfig(), placements, security(config));
  }

  private static ClientSecurity security(SluiceConfig config) {
    Optional<Tls> tls = config.openTls();
    Optional<Secret> secret = config.secret();
    return secret.isPresent()
        ? ClientSecurity.of(config.application(), secret.get(), tls)
        : tls.map(ClientSecurity::encrypted).orElseGet(ClientSecurity::off);
  }

  /** Of Sluice. */
  static String version() {
    String version = ClusterBackend.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
