package org.apache.spark.shuffle.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.control.EndListener;
import io.sluice.client.control.ServerListener;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import java.util.Collection;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.shuffle.sluice.config.DriverSettings;
import org.apache.spark.shuffle.sluice.config.FallbackPolicy;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.ProspectsEndpoint;
import org.apache.spark.shuffle.sluice.driver.ReusedShuffles;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.store.HeapShuffleStore;
import org.apache.spark.shuffle.sluice.store.ShuffleStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A side that cannot be opened leaves nothing open, and the next task or shuffle tries again. */
class FailedStartsTest {
  private final SparkContext context = LocalSpark.start();
  private final SparkEnv env = SparkEnv.get();
  private final SparkConf conf = env.conf();
  private final CountingBackend backend = new CountingBackend();

  FailedStartsTest() {
    // As the manager does; Spark itself has its own here.
    DriverSettings.apply(conf, FallbackPolicy.NEVER);
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  @Test
  void tasksThatCannotAskTheDriverHaveNoConnections() {
    for (int task = 0; task < 2; task++) {
      assertThatThrownBy(() -> TaskSide.create(conf, backend, env))
          .hasStackTraceContaining("SluiceEpochs");
    }
    DriverSide driver = driverSide();
    // As if one of them had not been there.
    env.rpcEnv().stop(env.rpcEnv().setupEndpointRef(env.rpcEnv().address(), "SluiceMissingMaps"));
    assertThatThrownBy(() -> TaskSide.create(conf, backend, env))
        .hasStackTraceContaining("SluiceMissingMaps");
    driver.close();

    assertThat(backend.stores).isZero();
  }

  @Test
  void aDriverThatCannotListenLetsGoOfAllItHad() {
    int listeners = context.listenerBus().listeners().size();
    RpcEndpointRef inTheWay =
        ProspectsEndpoint.listen(env.rpcEnv(), new ServerBook(Clock.system()));

    for (int shuffle = 0; shuffle < 2; shuffle++) {
      assertThatThrownBy(this::driverSide).hasMessageContaining("SluiceProspects");
    }

    assertThat(backend.placements).isZero();
    assertThat(context.listenerBus().listeners().size()).isEqualTo(listeners);
    env.rpcEnv().stop(inTheWay);
    driverSide().close();
    assertThat(backend.placements).isZero();
  }

  @Test
  void aDriverWithoutAWayToTheCoordinatorsHasNoListeners() {
    int listeners = context.listenerBus().listeners().size();
    backend.refuses = true;

    assertThatThrownBy(this::driverSide).hasMessageContaining("says the test");

    assertThat(context.listenerBus().listeners().size()).isEqualTo(listeners);
    backend.refuses = false;
    driverSide().close();
    assertThat(context.listenerBus().listeners().size()).isEqualTo(listeners);
  }

  private DriverSide driverSide() {
    return DriverSide.create(
        conf, backend, env, context, new ShuffleRoutes(), new Deaf(), shuffle -> {});
  }

  private static final class Deaf implements ReusedShuffles.Listener {
    @Override
    public void placedAgain(int shuffleId) {}

    @Override
    public void ending(int shuffleId) {}
  }

  /** Counts what is open. */
  private static final class CountingBackend implements ShuffleBackend {
    int placements;
    int stores;
    boolean refuses;

    @Override
    public ShufflePlacements placements(
        SluiceConfig config, String engineId, ServerListener listener, EndListener end) {
      if (refuses) {
        throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, "no TLS, says the test");
      }
      placements++;
      return new ShufflePlacements() {
        @Override
        public FixedPlacement place(int shuffleId, int partitions) {
          throw new SluiceException(ErrorCode.NO_SERVERS, "none, says the test");
        }

        @Override
        public void remove(int shuffleId, Collection<ServerId> servers) {}

        @Override
        public void close() {
          placements--;
        }
      };
    }

    @Override
    public ShuffleStore store(SluiceConfig config, Placements known) {
      stores++;
      return new HeapShuffleStore();
    }
  }
}
