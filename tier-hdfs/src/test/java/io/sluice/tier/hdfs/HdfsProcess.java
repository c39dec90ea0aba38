package io.sluice.tier.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * A real HDFS of one datanode as a process, for tests of other modules: says where it is on
 * standard output, and ends when standard input does.
 */
public final class HdfsProcess {
  private HdfsProcess() {}

  /**
   * @param args the folder for its data, which must not exist
   */
  public static void main(String[] args) throws IOException {
    Configuration hadoop = new Configuration();
    // Lease recovery takes a heartbeat.
    hadoop.set("dfs.heartbeat.interval", "1");
    MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(hadoop, Path.of(args[0]).toFile()).numDataNodes(1).build();
    cluster.waitActive();
    System.out.println("hdfs ready " + cluster.getURI());
    System.in.readAllBytes();
    cluster.shutdown();
    System.exit(0); // Hadoop leaves threads behind
  }
}
