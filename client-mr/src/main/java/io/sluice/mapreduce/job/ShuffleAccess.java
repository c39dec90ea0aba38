package io.sluice.mapreduce.job;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;

/** The job's one shuffle, as a task writes and reads it: the servers, or a stand-in. */
public interface ShuffleAccess extends AutoCloseable {
  /**
   * The output of one map attempt, which the caller closes.
   *
   * @throws SluiceException if the shuffle had to be placed and could not be
   */
  MapOutput openMapOutput(int mapIndex, long attempt) throws IOException;

  /**
   * Where everything lies that map attempts wrote which had ended when this was called.
   *
   * @throws SluiceException if the shuffle had to be placed and could not be
   */
  ShufflePlacement newest() throws IOException;

  /** The blocks of a partition that a range of maps wrote; the caller closes the reader. */
  BlockReader read(
      ShufflePlacement placement, int partition, int firstMap, int endMap, ExpectedMaps expected);

  /**
   * What becomes of a server that a reader could not reach. Waits until coordinators have made up
   * their minds, for some minutes at most.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE if none says anything in time
   */
  ServerFate fate(PlacedServer server) throws InterruptedException;

  /**
   * Whether coordinators refuse the job for good, such as one that an operator has ended: then what
   * it stored is gone and nothing more is taken, and no map need run again. Waits for the answer.
   *
   * @return their reason; empty if the job goes on, or nobody says
   */
  Optional<SluiceException> endedBecause();

  /**
   * Makes attempts that begin from now on leave servers alone, if there are others. Waits until
   * that is so.
   */
  void leave(ShufflePlacement placement, List<Complaint> complaints) throws InterruptedException;

  @Override
  void close();

  /** Gives a task of a job access to its shuffle. */
  interface Opener {
    /** The caller closes it. */
    ShuffleAccess open(JobConf job, JobID id) throws IOException;
  }
}
