package org.apache.spark.shuffle.sluice.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MissingMapsTest {
  private static final int SHUFFLE = 3;

  @Test
  void comesAsItWasSent() throws Exception {
    Random random = new Random(20261129);
    for (int round = 0; round < 200; round++) {
      List<MissingMap> maps = new ArrayList<>();
      for (int i = random.nextInt(50); i >= 0; i--) {
        maps.add(
            new MissingMap(
                random.nextInt() & Integer.MAX_VALUE,
                random.nextLong(),
                random.nextInt() & Integer.MAX_VALUE));
      }
      MissingMaps missing = sent(of(maps));
      assertThat(texts(missing.maps())).isEqualTo(texts(maps));
      assertThat(missing.count()).isEqualTo(maps.size());
    }
  }

  @Test
  void keepsExtremes() throws Exception {
    List<MissingMap> maps =
        List.of(
            new MissingMap(Integer.MAX_VALUE, Long.MIN_VALUE, 0),
            new MissingMap(0, Long.MAX_VALUE, Integer.MAX_VALUE),
            new MissingMap(Integer.MAX_VALUE, 0, 0));
    assertThat(texts(sent(of(maps)).maps())).isEqualTo(texts(maps));
  }

  /** Two thousand readers that lose a server at once are to be no more than megabytes. */
  @Test
  void isSmallWhereAllMapsOfALargeStageAreMissing() throws Exception {
    List<MissingMap> maps =
        IntStream.range(0, 20_000)
            .mapToObj(map -> new MissingMap(map, 500_000L + map, 17))
            .collect(Collectors.toList());
    assertThat(bytes(of(maps))).hasSizeLessThan(4_000);
  }

  /** As they end in an order of their own where some of them ran twice. */
  @Test
  void isSmallAlsoWhereAttemptsFollowNoOrder() throws Exception {
    List<Integer> attempts = IntStream.range(0, 20_000).boxed().collect(Collectors.toList());
    Collections.shuffle(attempts, new Random(1));
    List<MissingMap> maps =
        IntStream.range(0, 20_000)
            .mapToObj(map -> new MissingMap(map, 500_000L + attempts.get(map), 17))
            .collect(Collectors.toList());
    assertThat(bytes(of(maps))).hasSizeLessThan(100_000);
  }

  @Test
  void namesTheFirstOnes() {
    List<MissingMap> maps =
        IntStream.range(0, 30)
            .mapToObj(map -> new MissingMap(map, map, 0))
            .collect(Collectors.toList());
    assertThat(of(maps))
        .hasToString(
            "shuffle 3, 30 maps "
                + IntStream.range(0, 20)
                    .boxed()
                    .collect(Collectors.toList())
                    .toString()
                    .replace("]", ", …]")
                + ": says the test");
    assertThat(of(maps.subList(4, 6))).hasToString("shuffle 3, 2 maps [4, 5]: says the test");
  }

  @Test
  void saysThatAListIsDamaged() throws Exception {
    byte[] sent = bytes(of(List.of(new MissingMap(1, 101, 0), new MissingMap(2, 102, 0))));
    int deflated = indexOf(sent, (byte) 0x78, (byte) 0x01);
    sent[deflated] = 0;
    MissingMaps damaged = read(sent);
    assertThatThrownBy(damaged::maps)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("2 maps is damaged");
  }

  private static int indexOf(byte[] bytes, byte first, byte second) {
    for (int i = 0; i + 1 < bytes.length; i++) {
      if (bytes[i] == first && bytes[i + 1] == second) {
        return i;
      }
    }
    throw new AssertionError("no such bytes");
  }

  private static MissingMaps of(List<MissingMap> maps) {
    return new MissingMaps(SHUFFLE, maps, List.of(), "says the test", true);
  }

  private static List<String> texts(List<MissingMap> maps) {
    return maps.stream().map(MissingMap::toString).collect(Collectors.toList());
  }

  private static MissingMaps sent(MissingMaps missing) throws IOException, ClassNotFoundException {
    return read(bytes(missing));
  }

  private static byte[] bytes(MissingMaps missing) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(missing);
    }
    return bytes.toByteArray();
  }

  private static MissingMaps read(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (MissingMaps) in.readObject();
    }
  }
}
