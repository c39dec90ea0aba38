package io.sluice.transport.netty;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
final class EpollContractTest extends NettyContractTest {
  EpollContractTest() {
    super(true);
  }
}
