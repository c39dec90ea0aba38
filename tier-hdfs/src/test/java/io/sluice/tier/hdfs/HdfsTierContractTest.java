package io.sluice.tier.hdfs;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract of tiers over a real HDFS. */
class HdfsTierContractTest extends OnHdfsContractTest {
  @RegisterExtension static final HdfsFolders HDFS = new PlainFolders();

  HdfsTierContractTest() {
    super(HDFS);
  }
}
