package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.security.Credentials;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JobEndTest {
  private static final String ID = "job_1700000000000_0007";

  private final FakeCoordinators coordinators = new FakeCoordinators();

  private JobEnd end() {
    return new JobEnd(new JobIdentity(JobID.forName(ID), new Credentials()), () -> coordinators);
  }

  @Test
  void theJobIsEndedAndTheConnectionToo() {
    assertThat(end().tell()).isTrue();
    assertThat(coordinators.ended).isEqualTo(1);
    assertThat(coordinators.closed).isTrue();
  }

  @Test
  void saysIfItCouldNotBeToldSoThatHadoopTriesAgain() {
    coordinators.failure = new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "away");

    assertThat(end().tell()).isFalse();
    assertThat(coordinators.closed).isTrue();
  }

  @Test
  @Timeout(30)
  void coordinatorsThatAreNotThereAreGivenUpAfterTheirDeadline() throws IOException {
    Configuration job = new Configuration(false);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      job.set("mapreduce.sluice.coordinator.quorum", "localhost:" + taken.getLocalPort());
    }
    job.set("mapreduce.sluice.coordinator.deadline", "1s");

    assertThat(JobEnd.of("/" + ID, job).tell()).isFalse();
  }

  @Test
  void aPathThatNamesNoJobIsRefused() {
    Configuration job = new Configuration(false);
    job.set("mapreduce.sluice.coordinator.quorum", "nowhere.invalid:7400");

    assertThatThrownBy(() -> JobEnd.of("/$jobId", job))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("$jobId");
  }

  @Test
  void wrongSettingsAreNamedBeforeAnybodyIsAsked() {
    assertThatThrownBy(() -> JobEnd.of("/" + ID, new Configuration(false)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("mapreduce.sluice.coordinator.quorum");
  }

  private static final class FakeCoordinators implements Coordinators {
    private int ended;
    private boolean closed;
    private @Nullable SluiceException failure;

    @Override
    public void end() {
      SluiceException thrown = failure;
      if (thrown != null) {
        throw thrown;
      }
      ended++;
    }

    @Override
    public Optional<SluiceException> endedBecause() {
      return Optional.empty();
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public void renew() {
      throw new UnsupportedOperationException("the job ends");
    }

    @Override
    public FixedPlacement place(ShuffleKey shuffle, int partitions, int replicas) {
      throw new UnsupportedOperationException("the job ends");
    }

    @Override
    public ServerBook servers() {
      throw new UnsupportedOperationException("the job ends");
    }

    @Override
    public ServerFate fate(PlacedServer server) {
      throw new UnsupportedOperationException("the job ends");
    }
  }
}
