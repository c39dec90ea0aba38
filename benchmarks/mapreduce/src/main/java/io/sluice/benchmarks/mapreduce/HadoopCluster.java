package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * A namenode with one datanode, and a resource manager with one node that starts containers as
 * processes; or nothing but a folder and Hadoop's local job runner. Small: what tasks get is meant
 * for a machine of two cores that does other things as well.
 */
final class HadoopCluster {
  private static final int NODE_MEGABYTES = 4096;
  private static final int TASK_MEGABYTES = 512;
  private static final String JVM =
      " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -XX:-UsePerfData";

  private final Configuration configuration;

  private HadoopCluster(Configuration configuration) {
    this.configuration = configuration;
  }

  /** Starts it and waits until jobs can be submitted. It ends with the process. */
  static HadoopCluster start(Path folder, boolean yarn) throws IOException {
    return new HadoopCluster(yarn ? yarn(folder) : local(folder));
  }

  private static Configuration local(Path folder) {
    Configuration conf = new Configuration();
    conf.set("hadoop.tmp.dir", folder.toString());
    // Else a folder that all users share.
    conf.set("mapreduce.jobtracker.staging.root.dir", folder.resolve("staging").toString());
    conf.set("fs.defaultFS", "file:///");
    conf.setClass("fs.file.impl", QuickLocalFiles.class, FileSystem.class);
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.setInt("mapreduce.local.map.tasks.maximum", 2);
    conf.setInt(MRJobConfig.IO_SORT_MB, 16);
    return conf;
  }

  private static Configuration yarn(Path folder) throws IOException {
    Configuration conf = new YarnConfiguration();
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    MiniDFSCluster hdfs =
        new MiniDFSCluster.Builder(conf, folder.resolve("hdfs").toFile()).numDataNodes(1).build();
    hdfs.waitActive();
    conf.set("fs.defaultFS", hdfs.getURI().toString());
    System.setProperty("test.build.data", folder.resolve("yarn").toString());
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
    conf.setInt(YarnConfiguration.YARN_MINICLUSTER_NM_PMEM_MB, NODE_MEGABYTES);
    conf.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.setInt(YarnConfiguration.NM_VCORES, 16);
    // Several jobs may run side by side.
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.75");
    conf.setInt(YarnConfiguration.RM_NM_HEARTBEAT_INTERVAL_MS, 100);
    conf.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 99.5f);
    MiniMRYarnCluster mapreduce = new MiniMRYarnCluster("sluice", 1);
    mapreduce.init(conf);
    mapreduce.start();
    Configuration jobs = new Configuration(mapreduce.getConfig());
    jobs.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
    jobs.setInt(MRJobConfig.MR_AM_VMEM_MB, TASK_MEGABYTES);
    jobs.set(MRJobConfig.MR_AM_COMMAND_OPTS, "-Xmx320m" + JVM);
    jobs.setInt(MRJobConfig.MR_AM_TO_RM_HEARTBEAT_INTERVAL_MS, 200);
    jobs.setInt(MRJobConfig.MAP_MEMORY_MB, TASK_MEGABYTES);
    jobs.setInt(MRJobConfig.REDUCE_MEMORY_MB, TASK_MEGABYTES);
    jobs.set(MRJobConfig.MAP_JAVA_OPTS, "-Xmx256m" + JVM);
    jobs.set(MRJobConfig.REDUCE_JAVA_OPTS, "-Xmx256m" + JVM);
    jobs.setInt(MRJobConfig.IO_SORT_MB, 64);
    return jobs;
  }

  Configuration configuration() {
    return configuration;
  }
}
