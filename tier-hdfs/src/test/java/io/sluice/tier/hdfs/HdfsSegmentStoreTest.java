package io.sluice.tier.hdfs;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract of segment stores over a real HDFS. */
class HdfsSegmentStoreTest extends HdfsStoreContractTest {
  @RegisterExtension static final HdfsFolders HDFS = new PlainFolders();

  HdfsSegmentStoreTest() {
    super(HDFS);
  }
}
