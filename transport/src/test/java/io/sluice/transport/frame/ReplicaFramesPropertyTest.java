package io.sluice.transport.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ReplicaMember;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What an OPEN says of other members, right and wrong. */
class ReplicaFramesPropertyTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 3, 4);
  private static final String OF_HOSTS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:[]%";

  private static List<ReplicaMember> members(Random random, int count) {
    List<ReplicaMember> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      StringBuilder host = new StringBuilder();
      for (int letters = 1 + random.nextInt(255); letters > 0; letters--) {
        host.append(OF_HOSTS.charAt(random.nextInt(OF_HOSTS.length())));
      }
      members.add(
          new ReplicaMember(
              ServerId.of(random.nextLong(), random.nextLong()),
              random.nextLong() & Long.MAX_VALUE,
              host.toString(),
              1 + random.nextInt(65_535)));
    }
    return members;
  }

  private static ByteBuffer body(List<ReplicaMember> members) {
    ByteBuf frame = ReplicaFrames.open(Unpooled.buffer(), 0, SHUFFLE, 7, members);
    ByteBuffer body = ByteBuffer.allocate(frame.readableBytes() - FrameHeader.LENGTH);
    frame.getBytes(FrameHeader.LENGTH, body);
    frame.release();
    return body.flip();
  }

  @Property(tries = 200)
  void aMemberArrivesAsItWasNamed(@ForAll long seed, @ForAll @IntRange(max = 2) int count) {
    List<ReplicaMember> members = members(new Random(seed), count);
    ByteBuffer body = body(members);
    assertThat(body.remaining()).isLessThanOrEqualTo(ReplicaFrames.MAX_OPEN_BYTES);
    assertThat(ReplicaFrames.others(body, 0, body.remaining())).isEqualTo(members);
  }

  @Property(tries = 200)
  void aHostOfOtherCharactersIsMalformed(@ForAll long seed, @ForAll byte wrong) {
    boolean right = wrong > 0 && OF_HOSTS.indexOf(wrong) >= 0;
    Random random = new Random(seed);
    List<ReplicaMember> members = members(random, 1);
    ByteBuffer body = body(members);
    int length = members.get(0).host().length();
    body.put(body.limit() - 1 - random.nextInt(length), wrong);
    if (right) {
      assertThat(ReplicaFrames.others(body, 0, body.remaining())).hasSize(1);
    } else {
      assertThatThrownBy(() -> ReplicaFrames.others(body, 0, body.remaining()))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_FRAME));
    }
  }

  /** Whatever comes is members that could be named so, or malformed; nothing else is thrown. */
  @Property(tries = 1_000)
  void anyBytesAreMembersOrMalformed(
      @ForAll long seed,
      @ForAll @Size(max = 40) byte[] noise,
      @ForAll @IntRange(max = 2) int count) {
    Random random = new Random(seed);
    ByteBuffer right = body(members(random, count));
    ByteBuffer body = ByteBuffer.allocate(right.limit() + noise.length).put(right).put(noise);
    int changes = random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      body.put(random.nextInt(body.capacity()), (byte) random.nextInt());
    }
    int length = ReplicaFrames.OPEN_BYTES + random.nextInt(body.capacity() - 31);
    try {
      List<ReplicaMember> read = ReplicaFrames.others(body, 0, length);
      assertThat(read).hasSizeLessThanOrEqualTo(ReplicaMember.MAX_OTHERS);
      ByteBuffer again = body(read);
      assertThat(ReplicaFrames.others(again, 0, again.limit())).isEqualTo(read);
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }
  }

  @Property(tries = 50)
  void aMemberThatCannotBeReachedByAnyNameIsNotMade(@ForAll String host) {
    boolean right =
        !host.isEmpty()
            && host.length() <= 255
            && host.chars().allMatch(c -> OF_HOSTS.indexOf(c) >= 0);
    if (!right) {
      assertThatThrownBy(() -> new ReplicaMember(ServerId.of(1, 1), 1, host, 1))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
  }
}
