package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.DirectoryLock;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTenureTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private DirectoryLock acquire() throws IOException {
    return DirectoryLock.acquire(directory, "directory");
  }

  private void assertLocked() {
    assertThatThrownBy(this::acquire)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
  }

  @Test
  void theDirectoryStaysLockedUntilTheLastReplacementHasEnded() throws Exception {
    DirectoryTenure tenure = new DirectoryTenure(acquire());
    tenure.begin();
    tenure.begin();
    tenure.end();

    tenure.close();
    tenure.close();

    assertLocked();
    assertThatThrownBy(tenure::begin).isInstanceOf(ClosedChannelException.class);
    tenure.end();
    acquire().close();
  }

  @Test
  void whatIsKeptStaysLockedWhateverElseEnds() throws Exception {
    DirectoryTenure tenure = new DirectoryTenure(acquire());
    tenure.begin();
    tenure.keep();
    tenure.close();
    assertLocked();

    tenure.end();
    assertLocked();
  }

  @Test
  void withoutReplacementsItIsFreeAtOnce() throws Exception {
    DirectoryTenure tenure = new DirectoryTenure(acquire());
    tenure.begin();
    tenure.end();
    assertLocked();

    tenure.close();

    acquire().close();
  }
}
