package io.sluice.mapreduce.job;

import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.config.MapReduceConfig;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a job, as its application master tells it. Used once. */
public final class JobEnd {
  private static final Logger LOG = LoggerFactory.getLogger(JobEnd.class);

  private final JobIdentity identity;
  private final Supplier<Coordinators> connect;

  /**
   * @param connect called once; what it returns is closed
   */
  JobEnd(JobIdentity identity, Supplier<Coordinators> connect) {
    this.identity = identity;
    this.connect = connect;
  }

  /**
   * The end of the job that a path names.
   *
   * @param path ends with the job's id
   * @param job its configuration, in a process that has its credentials
   * @throws IllegalArgumentException if the path names no job
   * @throws SluiceException INVALID_CONFIGURATION
   * @throws IOException if who runs the process cannot be said
   */
  public static JobEnd of(String path, Configuration job) throws IOException {
    JobID id = JobID.forName(path.substring(path.lastIndexOf('/') + 1));
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    Credentials credentials = new Credentials(user.getCredentials());
    if (job instanceof JobConf) {
      credentials.mergeAll(((JobConf) job).getCredentials());
    }
    MapReduceConfig config = MapReduceConfig.of(job);
    JobIdentity identity = new JobIdentity(id, credentials);
    return new JobEnd(
        identity,
        () ->
            JobShuffle.coordinators(
                config, identity, user.getShortUserName(), identity.security(config)));
  }

  /** Tells coordinators; returns whether that worked. If not, the lease will end. */
  public boolean tell() {
    try (Coordinators coordinators = connect.get()) {
      coordinators.end();
      return true;
    } catch (SluiceException e) {
      LOG.warn("{} was not ended at Sluice; its lease will end", identity.job(), e);
      return false;
    }
  }
}
