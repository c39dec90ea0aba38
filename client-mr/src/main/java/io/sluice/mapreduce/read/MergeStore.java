package io.sluice.mapreduce.read;

import io.sluice.client.BlockReader;
import io.sluice.mapreduce.block.Run;
import io.sluice.mapreduce.block.RunReader;
import io.sluice.mapreduce.block.Runs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Merger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a reduce task has fetched: runs in memory up to the bound that Hadoop's own shuffle keeps,
 * beyond it merged into files on the task's local disks. Merges run on the task's thread, while
 * what servers send meanwhile waits within the reader's credit.
 */
final class MergeStore<K, V> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MergeStore.class);

  private final ShuffleConsumerPlugin.Context<K, V> context;
  private final JobConf job;
  private final FileSystem disk;
  private final MergeMemory memory;
  private final Runs runs;
  private final List<MergedFile> files = new ArrayList<>();
  private int fileNumber;

  MergeStore(ShuffleConsumerPlugin.Context<K, V> context) {
    this.context = context;
    this.job = context.getJobConf();
    this.disk = ((LocalFileSystem) context.getLocalFS()).getRaw();
    this.memory = MergeMemory.of(job);
    this.runs = new Runs(context.getCodec());
    context.getMapOutputFile().setConf(job);
  }

  /** Takes a block; merges what is in memory to disk first if there is no room for it. */
  void add(BlockReader.Block block) throws IOException, InterruptedException {
    if (runs.memory() + block.rawLength() > memory.mergeAt() && runs.memory() > 0) {
      files.add(toDisk(runs.take(), true));
    }
    runs.add(block);
  }

  /** Drops everything. */
  void clear() throws IOException {
    runs.clear();
    for (MergedFile file : files) {
      disk.delete(file.path, false);
    }
    files.clear();
  }

  /** All records in order; files go as they are read. */
  RawKeyValueIterator merge() throws IOException, InterruptedException {
    List<Run> inMemory = runs.take();
    if (inMemory.stream().mapToLong(Run::memory).sum() > memory.keepForReduce()) {
      // As Hadoop's own, which combines only what is merged before the last fetch.
      files.add(toDisk(inMemory, false));
      inMemory = List.of();
    }
    int factor = Math.max(2, memory.mergeFactor());
    while (files.size() > factor) {
      mergeSmallest(Math.min(factor, files.size() - factor + 1));
    }
    List<Merger.Segment<K, V>> segments = segments(inMemory);
    for (MergedFile file : files) {
      segments.add(segment(file));
    }
    files.clear();
    return merge(segments, context.getMergePhase());
  }

  private MergedFile toDisk(List<Run> taken, boolean combine)
      throws IOException, InterruptedException {
    long bytes = taken.stream().mapToLong(Run::bytes).sum();
    return write(bytes, merge(segments(taken), new Progress()), combine);
  }

  /** As few files as needed, the smallest first, so that as little as can be is written again. */
  private void mergeSmallest(int count) throws IOException, InterruptedException {
    files.sort(Comparator.comparingLong(file -> file.bytes));
    List<MergedFile> smallest = new ArrayList<>(files.subList(0, count));
    files.removeAll(smallest);
    List<Merger.Segment<K, V>> segments = new ArrayList<>();
    long bytes = 0;
    for (MergedFile file : smallest) {
      segments.add(segment(file));
      bytes += file.bytes;
    }
    files.add(write(bytes, merge(segments, new Progress()), false));
  }

  private List<Merger.Segment<K, V>> segments(List<Run> inMemory) throws IOException {
    List<Merger.Segment<K, V>> segments = new ArrayList<>(inMemory.size());
    for (Run run : inMemory) {
      segments.add(new Merger.Segment<>(new RunReader<>(run, job), true));
    }
    return segments;
  }

  private Merger.Segment<K, V> segment(MergedFile file) throws IOException {
    return new Merger.Segment<>(
        job, disk, file.path, context.getCodec(), job.getKeepFailedTaskFiles(), null, file.bytes);
  }

  @SuppressWarnings("unchecked") // The job's configuration says what its records are.
  private RawKeyValueIterator merge(List<Merger.Segment<K, V>> segments, Progress progress)
      throws IOException {
    return Merger.merge(
        job,
        disk,
        (Class<K>) job.getMapOutputKeyClass(),
        (Class<V>) job.getMapOutputValueClass(),
        segments,
        Math.max(2, segments.size()),
        new Path(context.getReduceId().toString()),
        (RawComparator<K>) job.getOutputKeyComparator(),
        context.getReporter(),
        context.getSpilledRecordsCounter(),
        null,
        progress);
  }

  @SuppressWarnings("unchecked") // As above.
  private MergedFile write(long bytes, RawKeyValueIterator records, boolean combine)
      throws IOException, InterruptedException {
    TaskID name = new TaskID(context.getReduceId().getJobID(), TaskType.MAP, fileNumber++);
    Path path =
        context
            .getMapOutputFile()
            .getInputFileForWrite(org.apache.hadoop.mapred.TaskID.downgrade(name), bytes)
            .suffix(".sluice");
    FSDataOutputStream out = disk.create(path);
    IFile.Writer<K, V> writer =
        new IFile.Writer<>(
            job,
            out,
            (Class<K>) job.getMapOutputKeyClass(),
            (Class<V>) job.getMapOutputValueClass(),
            context.getCodec(),
            null,
            true);
    try {
      if (combine && context.getCombinerClass() != null) {
        combine(records, writer);
      } else {
        Merger.writeFile(records, writer, context.getReporter(), job);
      }
    } finally {
      writer.close();
    }
    return new MergedFile(path, writer.getRawLength());
  }

  /** As Hadoop's own shuffle: only combiners of the old interface run on the reduce side. */
  private void combine(RawKeyValueIterator records, IFile.Writer<K, V> writer)
      throws IOException, InterruptedException {
    Task.CombineOutputCollector<K, V> collector = context.getCombineCollector();
    collector.setWriter(writer);
    try {
      Task.CombinerRunner<K, V> combiner =
          Task.CombinerRunner.create(
              job,
              TaskAttemptID.downgrade(context.getReduceId()),
              context.getReduceCombineInputCounter(),
              (Task.TaskReporter) context.getReporter(),
              null);
      combiner.combine(records, collector);
    } catch (ClassNotFoundException e) {
      throw new IOException("the combiner's classes are not there", e);
    }
  }

  @Override
  public void close() {
    try {
      clear();
    } catch (IOException e) {
      LOG.warn("merged files are left to the task's end", e);
    }
    runs.close();
  }

  private static final class MergedFile {
    final Path path;
    final long bytes;

    MergedFile(Path path, long bytes) {
      this.path = path;
      this.bytes = bytes;
    }
  }
}
