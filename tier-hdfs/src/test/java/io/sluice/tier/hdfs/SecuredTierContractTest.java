package io.sluice.tier.hdfs;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The same over one that wants Kerberos, with the server's keytab. */
class SecuredTierContractTest extends OnHdfsContractTest {
  @RegisterExtension static final HdfsFolders HDFS = new SecuredFolders();

  SecuredTierContractTest() {
    super(HDFS);
  }
}
