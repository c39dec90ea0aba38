package io.sluice.server.identity;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.Disk;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * That a server's last life has ended with everything on a disk, as whoever changes what lies there
 * while no server has it must know it. Blocks.
 */
public final class Seal {
  private static final Logger log = LoggerFactory.getLogger(Seal.class);

  private Seal() {}

  /**
   * Breaks the seal, if there is one; synced at return. The next life is intact since itself then.
   * A damaged identity file says nothing of a seal, and stays.
   *
   * @param disk locked
   * @throws SluiceException DISK_FAILED if the disk cannot be read or written,
   *     INVALID_CONFIGURATION if its identity file is of another format: so may be what lies there
   */
  public static void breakOn(Disk disk) {
    try {
      byte[] content = disk.readSmall(IdentityFiles.FILE);
      DiskIdentity identity = content == null ? null : DiskIdentity.decode(content, disk.name());
      if (identity != null && identity.life().sealed()) {
        disk.check();
        disk.replaceSmall(IdentityFiles.FILE, identity.unsealed().encode());
        log.warn("{}: was sealed, and is not any more", disk.name());
      }
    } catch (IOException e) {
      throw IdentityFiles.failed(disk, "cannot be told that it is not whole", e);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.DISK_FAILED) {
        throw e;
      }
      log.warn("{}: nobody takes it for whole: {}", disk.name(), e.detail());
    }
  }
}
