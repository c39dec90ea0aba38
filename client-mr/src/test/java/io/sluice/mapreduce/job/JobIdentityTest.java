package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.config.MapReduceConfig;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.junit.jupiter.api.Test;

class JobIdentityTest {
  private static final JobID JOB = new JobID("1795322628226", 7);

  private static Credentials credentials(int... key) {
    byte[] bytes = new byte[key.length];
    for (int i = 0; i < key.length; i++) {
      bytes[i] = (byte) key[i];
    }
    Credentials credentials = new Credentials();
    TokenCache.setShuffleSecretKey(bytes, credentials);
    return credentials;
  }

  private static MapReduceConfig secured(String... more) {
    Configuration conf = new Configuration(false);
    conf.set("mapreduce.sluice.coordinator.quorum", "localhost:7400");
    conf.set("mapreduce.sluice.security.enabled", "true");
    for (int i = 0; i < more.length; i += 2) {
      conf.set(more[i], more[i + 1]);
    }
    return MapReduceConfig.of(conf);
  }

  @Test
  void isTheSameInEveryProcessOfAJobAndNowhereElse() {
    JobIdentity one = new JobIdentity(JOB, credentials(0, -1, 3));

    assertThat(new JobIdentity(JOB, credentials(0, -1, 3)).application())
        .isEqualTo(one.application());
    assertThat(new JobIdentity(JOB, credentials(0, -1, 4)).application())
        .isNotEqualTo(one.application());
    assertThat(new JobIdentity(new JobID("1795322628226", 8), credentials(0, -1, 3)).application())
        .isNotEqualTo(one.application());
    assertThat(one.job()).isEqualTo("job_1795322628226_0007");
  }

  @Test
  void provesItselfByTheJobsShuffleKey() {
    assertThat(new JobIdentity(JOB, credentials(1, 2)).security(secured()).keys()).isPresent();
  }

  @Test
  void hasNothingToProveItselfByWithoutAShuffleKeyUnlessItIsGivenASecret() {
    JobIdentity bare = new JobIdentity(JOB, new Credentials());

    assertThatThrownBy(() -> bare.security(secured()))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("no shuffle key");
    assertThat(
            bare.security(secured("mapreduce.sluice.secret", "0123456789abcdef".repeat(2))).keys())
        .isPresent();
  }

  @Test
  void attemptsOfAllMapsHaveNumbersOfTheirOwn() {
    TaskID first = new TaskID(JOB, TaskType.MAP, 0);
    TaskID second = new TaskID(JOB, TaskType.MAP, 1);

    assertThat(JobIdentity.attemptNumber(first, 1000)).isEqualTo(1000);
    assertThat(JobIdentity.attemptNumber(second, 1000)).isEqualTo((1L << 32) + 1000);
  }
}
