package io.sluice.mapreduce.job;

import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.config.MapReduceConfig;
import java.io.IOException;
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
  private final MapReduceConfig config;

  private JobEnd(JobIdentity identity, MapReduceConfig config) {
    this.identity = identity;
    this.config = config;
  }

  /**
   * The end of the job that a path names.
   *
   * @param path ends with the job's id
   * @param job its configuration, in a process that has its credentials
   * @throws IllegalArgumentException if the path names no job
   * @throws SluiceException INVALID_CONFIGURATION
   */
  public static JobEnd of(String path, Configuration job) throws IOException {
    JobID id = JobID.forName(path.substring(path.lastIndexOf('/') + 1));
    Credentials credentials =
        new Credentials(UserGroupInformation.getCurrentUser().getCredentials());
    if (job instanceof JobConf) {
      credentials.mergeAll(((JobConf) job).getCredentials());
    }
    return new JobEnd(new JobIdentity(id, credentials), MapReduceConfig.of(job));
  }

  /** Tells coordinators; returns whether that worked. If not, the lease will end. */
  public boolean tell() throws IOException {
    try (Coordinators coordinators =
        JobShuffle.coordinators(config, identity, identity.security(config))) {
      coordinators.end();
      return true;
    } catch (SluiceException e) {
      LOG.warn("{} was not ended at Sluice; its lease will end", identity.job(), e);
      return false;
    }
  }
}
