package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTenureTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private void assertLocked() {
    assertThatThrownBy(() -> DirectoryLock.acquire(directory))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
  }

  @Test
  void theDirectoryStaysLockedUntilTheLastReplacementHasEnded() throws Exception {
    DirectoryTenure tenure = new DirectoryTenure(DirectoryLock.acquire(directory));
    tenure.begin();
    tenure.begin();
    tenure.end();

    tenure.close();
    tenure.close();

    assertLocked();
    assertThatThrownBy(tenure::begin).isInstanceOf(ClosedChannelException.class);
    tenure.end();
    DirectoryLock.acquire(directory).close();
  }

  @Test
  void whatIsKeptStaysLockedWhateverElseEnds() throws Exception {
    DirectoryTenure tenure = new DirectoryTenure(DirectoryLock.acquire(directory));
    tenure.begin();
    tenure.keep();
    tenure.close();
    assertLocked();

    tenure.end();
    assertLocked();
  }

  @Test
  void withoutReplacementsItIsFreeAtOnce() throws Exception {
    DirectoryTenure tenure = new DirectoryTenure(DirectoryLock.acquire(directory));
    tenure.begin();
    tenure.end();
    assertLocked();

    tenure.close();

    DirectoryLock.acquire(directory).close();
  }
}
