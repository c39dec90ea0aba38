package io.sluice.mapreduce.job;

import io.sluice.client.ClientSecurity;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Secret;
import io.sluice.mapreduce.config.MapReduceConfig;
import java.math.BigInteger;
import java.util.UUID;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;

/**
 * Who a job is. Each process derives it from the job's id and the shuffle key that Hadoop made when
 * the job was submitted and that travels in its credentials: so it is the same in all tasks, stays
 * the same when the application master starts again, and cannot be guessed from the id alone.
 * Immutable.
 */
public final class JobIdentity {
  private static final String NAME = "sluice, name of a mapreduce job";
  private static final String SECRET = "sluice, from the shuffle key";
  private static final int HEX_OF_LONG = 16;

  private final String job;
  private final String shuffleKey;

  /**
   * @param credentials the job's; without a shuffle key in them, anybody can name the job
   */
  public JobIdentity(JobID job, Credentials credentials) {
    byte[] key = TokenCache.getShuffleSecretKey(credentials);
    this.job = job.toString();
    this.shuffleKey = key == null || key.length == 0 ? "" : new BigInteger(1, key).toString(16);
  }

  /** The job's id as Hadoop shows it. */
  public String job() {
    return job;
  }

  public ApplicationId application() {
    String hex = Secret.derive(shuffleKey, job, NAME);
    return new ApplicationId(
        new UUID(
            Long.parseUnsignedLong(hex.substring(0, HEX_OF_LONG), 16),
            Long.parseUnsignedLong(hex.substring(HEX_OF_LONG, 2 * HEX_OF_LONG), 16)));
  }

  /**
   * As whom a process of the job connects.
   *
   * @throws SluiceException INVALID_CONFIGURATION if it has to prove something and has nothing to
   *     prove it by
   */
  public ClientSecurity security(MapReduceConfig config) {
    if (!config.securityEnabled()) {
      return config.openTls().map(ClientSecurity::encrypted).orElseGet(ClientSecurity::off);
    }
    String secret = config.secret().orElseGet(this::derivedSecret);
    return ClientSecurity.of(application(), Secret.of(secret), config.openTls());
  }

  private String derivedSecret() {
    if (shuffleKey.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "job " + job + " has no shuffle key in its credentials to derive a secret from");
    }
    return Secret.derive(shuffleKey, job, SECRET);
  }

  /** The number of a map attempt, unique in its job. */
  public static long attemptNumber(TaskID map, int attempt) {
    return (long) map.getId() << 32 | attempt;
  }
}
