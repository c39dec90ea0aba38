package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestsTest {
  private static final String LONGEST = "/" + "d".repeat(4095);

  private static ServerReport report(DiskLoad.Builder disk) {
    return ServerReport.newBuilder().setLoad(ServerLoad.newBuilder().addDisks(disk)).build();
  }

  private static void assertRefused(DiskLoad.Builder disk, String field) {
    ServerReport report = report(disk);
    assertThatThrownBy(() -> Requests.report(report))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining(field);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/data/1\nWARN all is well", "/data/\u001b[2J", "/data/\u0085"})
  void refusesDisksWithControlCharacters(String text) {
    assertRefused(DiskLoad.newBuilder().setPath(text), "path of a disk");
    assertRefused(
        DiskLoad.newBuilder().setPath("/data/1").setFileSystem(text), "file_system of a disk");
  }

  @Test
  void refusesPathsThatNoDiskCanHave() {
    assertRefused(DiskLoad.newBuilder().setPath(LONGEST + "d"), "path of a disk");
    assertRefused(
        DiskLoad.newBuilder().setPath("/data/1").setFileSystem(LONGEST + "d"),
        "file_system of a disk");
  }

  @Test
  void takesTheLongestPath() {
    assertThat(Requests.report(report(DiskLoad.newBuilder().setPath(LONGEST))).load().disks())
        .singleElement()
        .satisfies(disk -> assertThat(disk.path()).isEqualTo(LONGEST))
        .satisfies(disk -> assertThat(disk.fileSystem()).as("said by none").isEqualTo(LONGEST));
  }
}
