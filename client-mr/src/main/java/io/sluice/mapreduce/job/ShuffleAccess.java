package io.sluice.mapreduce.job;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.util.List;

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
   * Makes attempts that begin from now on leave servers alone, if there are others. Waits until
   * that is so.
   */
  void leave(ShufflePlacement placement, List<Complaint> complaints) throws InterruptedException;

  @Override
  void close();
}
