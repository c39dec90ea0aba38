package org.apache.spark.shuffle.sluice;

import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.placement.Placements;
import java.time.Duration;
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
      SluiceConfig config, String engineId, ServerListener listener) {
    Registration registration =
        new Registration(
            config.application(), engineId, Utils.getCurrentUserName(), "spark", version());
    CoordinatorClientConfig coordinators =
        new CoordinatorClientConfig(config.coordinators(), config.coordinatorDeadline(), ATTEMPT);
    return new CoordinatedPlacements(
        CoordinatorClient.open(coordinators), registration, config.replicas(), listener);
  }

  @Override
  public ShuffleStore store(SluiceConfig config, Placements placements) {
    return ServerStore.open(config.clientConfig(), placements);
  }

  private static String version() {
    String version = ClusterBackend.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
