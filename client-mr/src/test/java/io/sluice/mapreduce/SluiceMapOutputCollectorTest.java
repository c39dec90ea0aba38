package io.sluice.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.fake.HeapShuffle;
import io.sluice.mapreduce.fake.Master;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a collector opens it closes, as Hadoop uses it: close is called after a flush that worked.
 */
class SluiceMapOutputCollectorTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path disk;

  private final HeapShuffle shuffle = new HeapShuffle(1);
  private final SluiceMapOutputCollector<Text, IntWritable> collector =
      new SluiceMapOutputCollector<>((job, id) -> shuffle);

  private MapOutputCollector.Context context(Class<?> keys) {
    JobConf job = new JobConf(false);
    job.set(MRConfig.LOCAL_DIR, disk.toString());
    job.setNumReduceTasks(1);
    job.setMapOutputKeyClass(keys);
    job.setMapOutputValueClass(IntWritable.class);
    job.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
    job.set("mapreduce.sluice.coordinator.quorum", "nowhere.invalid:7400");
    job.setInt("mapreduce.task.io.sort.mb", 1);
    MapTask task =
        new MapTask(
            "job.xml",
            new TaskAttemptID("test", 1, TaskType.MAP, 0, 0),
            0,
            new JobSplit.TaskSplitIndex(),
            1);
    task.setConf(job);
    task.getMapOutputFile().setConf(job);
    return new MapOutputCollector.Context(
        task, job, task.new TaskReporter(new Progress(), new Master().umbilical()));
  }

  @Test
  void aFlushThatWorksLeavesTheEndToHadoop() throws Exception {
    collector.init(context(Text.class));
    collector.collect(new Text("key"), new IntWritable(1), 0);
    collector.flush();

    assertThat(shuffle.isClosed()).isFalse();
    collector.close();
    assertThat(shuffle.isClosed()).isTrue();
    assertThat(shuffle.outputs()).allMatch(output -> output.isFinished() && output.isClosed());
  }

  @Test
  void aMapWhoseJobAnOperatorEndedSaysSo() throws Exception {
    collector.init(context(Text.class));
    collector.collect(new Text("key"), new IntWritable(1), 0);
    shuffle.end(new SluiceException(ErrorCode.APPLICATION_ENDED, "ended by an operator"));

    assertThatThrownBy(collector::flush)
        .isInstanceOf(IOException.class)
        .hasMessage("the map output could not be stored: APPLICATION_ENDED: ended by an operator");
    assertThat(shuffle.isClosed()).isTrue();
    assertThatThrownBy(collector::flush)
        .as("Hadoop flushes again, and logs why that fails")
        .hasMessage(
            "the collector is closed, since the map output could not be stored: APPLICATION_ENDED:"
                + " ended by an operator");
  }

  @Test
  void aFlushThatFailsClosesEverythingSinceHadoopDoesNot() throws Exception {
    collector.init(context(Text.class));
    collector.collect(new Text("key"), new IntWritable(1), 0);
    shuffle.failOutputs(new SluiceException(ErrorCode.NO_SERVERS, "nowhere to go"));

    assertThatThrownBy(collector::flush)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nowhere to go");
    assertThat(shuffle.isClosed()).isTrue();
    assertThat(shuffle.outputs()).hasSize(1).allMatch(output -> output.isClosed());
    collector.close();
  }

  @Test
  void whatCannotBeOpenedWhollyIsNotOpenAtAll() {
    // There is no serializer for it.
    assertThatThrownBy(() -> collector.init(context(Thread.class))).isNotNull();

    assertThat(shuffle.isClosed()).isTrue();
    assertThat(shuffle.outputs()).hasSize(1).allMatch(output -> output.isClosed());
  }
}
