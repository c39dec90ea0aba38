package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.segment.TestBlocks;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A catalog whose disk may fail. */
class SpareCatalogTest {
  private final SimulatedCatalog disk = new SimulatedCatalog();
  private final SpareCatalog catalog = new SpareCatalog(disk);

  private void put(long offset) {
    catalog.put(1, offset, ByteBuffer.allocate(100));
  }

  @Test
  void recordsWhileItsDiskWorks() {
    put(0);
    put(4096);

    assertThat(disk.units()).isEqualTo(2);
  }

  @Test
  void recordsNothingAnyMoreOnceOneRecordIsMissing() {
    put(0);
    disk.failPuts(1);
    put(4096);
    put(8192);
    catalog.beginRemoval(List.of(new Removal(1, TestBlocks.shuffle(1))));

    assertThat(disk.units()).as("no unit behind the missing one, no hole").isEqualTo(1);
  }
}
