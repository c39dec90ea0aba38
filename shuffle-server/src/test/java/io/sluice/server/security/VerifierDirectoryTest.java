package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.common.security.Verifier;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class VerifierDirectoryTest {
  private final VerifierDirectory directory = new VerifierDirectory(2);

  private static ApplicationId id(long number) {
    return ApplicationId.of(1, number);
  }

  private static Verifier verifier(long number) {
    return Keys.ofApplication(id(number), Secret.of("0123456789abcdef0123456789abcdef")).verifier();
  }

  private void tell(boolean first, boolean last, long... numbers) {
    Map<ApplicationId, Verifier> told = new HashMap<>();
    for (long number : numbers) {
      told.put(id(number), verifier(number));
    }
    directory.learn(new KnownVerifiers(first, last, told));
  }

  @Test
  void answersAtOnceWhatIsKnown() {
    tell(true, true, 1);
    assertThat(directory.find(id(1))).isCompletedWithValue(verifier(1));
  }

  @Test
  void answersWhoWaitsWhenItBecomesKnown() {
    CompletableFuture<Verifier> one = directory.find(id(1));
    CompletableFuture<Verifier> same = directory.find(id(1));
    assertThat(one).isNotDone();
    tell(false, false, 1);
    assertThat(one).isCompletedWithValue(verifier(1));
    assertThat(same).isCompletedWithValue(verifier(1));
    assertThat(directory.waiting()).isZero();
  }

  @Test
  void onlySoManyMayWait() {
    CompletableFuture<Verifier> one = directory.find(id(1));
    assertThat(directory.find(id(2))).isNotDone();
    assertThat(directory.find(id(3))).isCompletedExceptionally();
    one.cancel(false);
    assertThat(directory.waiting()).isEqualTo(1);
    assertThat(directory.find(id(3))).isNotDone();
  }

  @Test
  void whoHasEndedIsForgotten() {
    tell(true, true, 1, 2);
    directory.forget(id(1));
    assertThat(directory.find(id(1))).isNotDone();
    // An end that was missed shows in the next whole list, which comes in parts.
    tell(true, false, 3);
    assertThat(directory.find(id(2))).isDone();
    tell(false, true, 4);
    assertThat(directory.size()).isEqualTo(2);
    assertThat(directory.find(id(2))).isNotDone();
  }
}
