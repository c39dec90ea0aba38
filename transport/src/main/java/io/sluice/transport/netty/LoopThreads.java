package io.sluice.transport.netty;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.lifecycle.OwnThreads;

/**
 * Makes threads of event loops as Netty does, for its thread-locals are faster there, which inherit
 * nothing from whoever has a loop's first task: Netty's kind of thread cannot be told not to.
 */
public final class LoopThreads extends DefaultThreadFactory {
  /**
   * @param prefix names threads {@code prefix-1-1}, …
   */
  public LoopThreads(String prefix) {
    super(prefix, true);
  }

  @Override
  protected Thread newThread(Runnable task, String name) {
    return OwnThreads.madeByOne(() -> super.newThread(task, name));
  }
}
