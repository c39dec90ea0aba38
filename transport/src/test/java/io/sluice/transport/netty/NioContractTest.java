package io.sluice.transport.netty;

final class NioContractTest extends NettyContractTest {
  NioContractTest() {
    super(false);
  }
}
