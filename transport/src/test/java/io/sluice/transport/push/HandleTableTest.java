package io.sluice.transport.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

final class HandleTableTest {
  private static final int ALLOWED = 3;

  private final Link link = new Link();
  private final HandleTable table = new HandleTable();

  private static ShuffleKey shuffle(int number) {
    return new ShuffleKey(ApplicationId.of(1, 2), number, 0);
  }

  private HandleTable.Handle acquire(int shuffle) {
    HandleTable.Handle handle = table.acquire(shuffle(shuffle), 1, link);
    return handle == null ? fail("no handle") : handle;
  }

  @Test
  void aHandleIsOpenedOnceForAllWhoUseIt() {
    assertThat(acquire(7)).isSameAs(acquire(7));
    assertThat(link.said).containsExactly("open 0");
  }

  @Test
  void theOneUnusedForLongestMakesRoom() {
    acquire(0);
    acquire(1).release();
    acquire(2).release();
    acquire(1).release();
    acquire(3);
    assertThat(link.said).containsExactly("open 0", "open 1", "open 2", "release 2", "open 3");
  }

  @Test
  void thereIsNoneWhileAllAreInUse() {
    HandleTable.Handle first = acquire(0);
    acquire(1);
    acquire(2);
    assertThat(table.acquire(shuffle(3), 1, link)).isNull();
    acquire(1);
    first.release();
    acquire(3);
    assertThat(link.open).isEqualTo(ALLOWED);
  }

  /** Allows as many handles as a server would. */
  private static final class Link implements ClientLink {
    private final List<String> said = new ArrayList<>();
    private int open;

    @Override
    public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
      said.add("open " + handle);
      open++;
      assertThat(open).isLessThanOrEqualTo(ALLOWED);
    }

    @Override
    public int maxHandles() {
      return ALLOWED;
    }

    @Override
    public void release(int handle) {
      said.add("release " + handle);
      open--;
    }

    @Override
    public Executor executor() {
      return Runnable::run;
    }

    @Override
    public void push(int handle, int blockCount, ByteBuf blocks) {}

    @Override
    public void push(int handle, int blockCount, OutgoingData blocks) {
      blocks.close();
    }

    @Override
    public void want(long bytes) {}

    @Override
    public void returnCredit(long bytes) {}

    @Override
    public void fetch(FetchRequest request) {}

    @Override
    public void fetchCredit(int stream, long bytes) {}

    @Override
    public void fetchCancel(int stream) {}

    @Override
    public void damaged(int stream, DamagedBlock block) {}

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}

    @Override
    public void abort(SluiceException cause) {}
  }
}
