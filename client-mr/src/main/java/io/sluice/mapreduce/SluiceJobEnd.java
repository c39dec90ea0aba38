package io.sluice.mapreduce;

import io.sluice.mapreduce.job.JobEnd;
import java.io.IOException;
import java.net.URL;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.CustomJobEndNotifier;

/**
 * Says that a job has ended, so that its data goes at once and not when its lease ends: {@code
 * mapreduce.job.end-notification.custom-notifier-class=io.sluice.mapreduce.SluiceJobEnd} and {@code
 * mapreduce.job.end-notification.url=http://sluice/$jobId}. The application master makes one when
 * the job has ended; the URL's host means nothing, and nobody is asked by HTTP.
 */
public final class SluiceJobEnd implements CustomJobEndNotifier {
  /** For Hadoop. */
  public SluiceJobEnd() {}

  @Override
  public boolean notifyOnce(URL url, Configuration job) throws IOException {
    return JobEnd.of(url.getPath(), job).tell();
  }
}
