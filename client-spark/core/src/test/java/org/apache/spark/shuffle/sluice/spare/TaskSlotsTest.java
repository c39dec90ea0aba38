package org.apache.spark.shuffle.sluice.spare;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskSlotsTest {
  private static final int PROCESSORS = 16;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "local | 1",
        "local[3] | 3",
        "local[3, 2] | 3",
        "local[*] | 16",
        "local[*,4] | 16",
        "local[64] | 16",
        "local-cluster[2, 4, 1024] | 4",
        "yarn | 1",
        "k8s://https://there:443 | 1",
        "spark://there:7077 | 16"
      })
  void areWhatTheMasterSays(String master, int slots) {
    assertThat(TaskSlots.of(conf(master), PROCESSORS)).isEqualTo(slots);
  }

  @ParameterizedTest
  @CsvSource({"spark://there:7077", "yarn", "k8s://https://there:443", "'local-cluster[2,1,1024]'"})
  void areTheCoresOfAnExecutor(String master) {
    SparkConf conf = conf(master).set("spark.executor.cores", "5");
    assertThat(TaskSlots.of(conf, PROCESSORS)).isEqualTo(5);
    assertThat(TaskSlots.of(conf, 3)).isEqualTo(3);
    assertThat(TaskSlots.of(conf.set("spark.task.cpus", "2"), PROCESSORS)).isEqualTo(2);
  }

  @Test
  void ofALocalMasterAreNotThoseOfExecutors() {
    SparkConf conf = conf("local[2]").set("spark.executor.cores", "5");
    assertThat(TaskSlots.of(conf, PROCESSORS)).isEqualTo(2);
  }

  private static SparkConf conf(String master) {
    return new SparkConf(false).set("spark.master", master);
  }
}
