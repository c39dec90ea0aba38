package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigValuesTest {
  @ParameterizedTest
  @CsvSource({"100b,100", "64k,65536", "512m,536870912", "1g,1073741824", "2TiB,2199023255552"})
  void readsSizesWithBinaryUnits(String text, long bytes) {
    assertThat(DataSize.parse(text).toBytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "-1m", "1.5g", "m", "9999999999t", "99999999999999999999b", "1x"})
  void refusesSizesItCannotTrust(String text) {
    assertThatThrownBy(() -> DataSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void readsBackEverySizeItWrites(@ForAll @LongRange(min = 0) long bytes) {
    DataSize size = DataSize.ofBytes(bytes);
    assertThat(DataSize.parse(size.toString())).isEqualTo(size);
  }

  @ParameterizedTest
  @CsvSource({"30s,30000", "500ms,500", "5m,300000", "2h,7200000", "1d,86400000"})
  void readsDurationsWithUnits(String text, long millis) {
    assertThat(DurationText.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "30", "-1s", "1.5s", "s", "999999999d", "1w"})
  void refusesDurationsItCannotTrust(String text) {
    assertThatThrownBy(() -> DurationText.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void readsBackEveryDurationItWrites(@ForAll @LongRange(min = 0) long nanos) {
    Duration duration = Duration.ofNanos(nanos % 1_000_000_000_000_000_000L);
    assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
  }

  @ParameterizedTest
  @CsvSource({"localhost:7070,localhost,7070", "[::1]:1,::1,1", "10.0.0.1:65535,10.0.0.1,65535"})
  void readsAddresses(String text, String host, int port) {
    HostPort address = HostPort.parse(text);
    assertThat(address).isEqualTo(new HostPort(host, port)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host", "host:", ":1", "host:0", "host:65536", "::1:5", "a b:1", "h/x:1"})
  void refusesAddressesItCannotTrust(String text) {
    assertThatThrownBy(() -> HostPort.parse(text)).isInstanceOf(IllegalArgumentException.class);
    assertThat(HostPort.tryParse(text)).isEmpty();
  }

  @Test
  void measuresEditDistance() {
    assertThat(Spelling.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(Spelling.distance("", "abc")).isEqualTo(3);
    assertThat(Spelling.distance("same", "same")).isZero();
  }
}
