package io.sluice.mapreduce.fake;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MROutputFiles;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;
import org.jspecify.annotations.Nullable;

/** A reduce task of a job with text keys and int values, as Hadoop hands it to a shuffle. */
public final class ReduceFixture {
  private final JobConf job = new JobConf(false);
  private final Master master = new Master();
  private final Counters counters = new Counters();
  private final Status status = new Status();
  private final Progress copy = new Progress();

  /**
   * @param disk for merged files
   * @param heap bytes that are taken for the task's heap
   */
  public ReduceFixture(Path disk, int maps, long heap) {
    job.set(MRConfig.LOCAL_DIR, disk.toString());
    job.setNumMapTasks(maps);
    job.setNumReduceTasks(1);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(IntWritable.class);
    job.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
    job.setLong(MRJobConfig.REDUCE_MEMORY_TOTAL_BYTES, heap);
    job.setInt(MRJobConfig.IO_SORT_FACTOR, 3);
  }

  public JobConf job() {
    return job;
  }

  public Master master() {
    return master;
  }

  public long counter(String name) {
    return counters.findCounter("test", name).getValue();
  }

  /** Attempts that were reported, as often as they were. */
  public List<TaskAttemptID> reported() {
    return status.failed;
  }

  public float copied() {
    return copy.get();
  }

  public static TaskAttemptID attempt(int map, int number) {
    return new TaskAttemptID("test", 1, TaskType.MAP, map, number);
  }

  /**
   * @param local map outputs, where one process runs all tasks
   */
  public ShuffleConsumerPlugin.Context<Text, IntWritable> context(
      @Nullable Map<TaskAttemptID, MapOutputFile> local) throws IOException {
    TaskAttemptID id = new TaskAttemptID("test", 1, TaskType.REDUCE, 0, 0);
    ReduceTask task = new ReduceTask("job.xml", id, 0, job.getNumMapTasks(), 1);
    task.setConf(job);
    return new ShuffleConsumerPlugin.Context<>(
        id,
        job,
        FileSystem.getLocal(job),
        master.umbilical(),
        new LocalDirAllocator(MRConfig.LOCAL_DIR),
        Reporter.NULL,
        null,
        null,
        null,
        counter("spilled", counters),
        counter("combined", counters),
        counter("shuffled", counters),
        counter("bytes", counters),
        counter("failed", counters),
        counter("merged", counters),
        status,
        copy,
        new Progress(),
        task,
        new MROutputFiles(),
        local);
  }

  private static Counters.Counter counter(String name, Counters counters) {
    return counters.findCounter("test", name);
  }

  private static final class Status extends TaskStatus {
    private final List<TaskAttemptID> failed = new ArrayList<>();

    @Override
    public boolean getIsMap() {
      return false;
    }

    @Override
    public void addFetchFailedMap(TaskAttemptID map) {
      failed.add(map);
    }
  }
}
