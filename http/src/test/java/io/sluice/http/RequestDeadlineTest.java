package io.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // What is written is seen by what the channel does.
class RequestDeadlineTest {
  private static final int REQUEST = 10;
  private static final int IDLE = 120;

  private final EmbeddedChannel channel = channel();

  private static EmbeddedChannel channel() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.freezeTime();
    channel.pipeline().addLast(new RequestDeadline(REQUEST, IDLE));
    channel.pipeline().fireChannelActive();
    return channel;
  }

  @Test
  void bytesThatDripInBuyNoTime() {
    for (int second = 1; second < REQUEST; second++) {
      pass(1);
      channel.writeInbound("a byte");
      assertThat(channel.isOpen()).as("after %d s", second).isTrue();
    }
    pass(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anAnswerThatIsNotTakenEndsTheConnection() {
    channel.writeInbound("a request");
    channel.write("an answer");
    pass(REQUEST);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anAnsweredConnectionMayWaitForItsNextRequestWhichHasItsOwnTime() {
    channel.writeInbound("a request");
    channel.writeOutbound("an answer");
    pass(IDLE - 1);
    assertThat(channel.isOpen()).isTrue();
    channel.writeInbound("the next");
    pass(REQUEST - 1);
    assertThat(channel.isOpen()).isTrue();
    pass(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anIdleConnectionEnds() {
    channel.writeInbound("a request");
    channel.writeOutbound("an answer");
    pass(IDLE);
    assertThat(channel.isOpen()).isFalse();
  }

  private void pass(int seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }
}
