package io.sluice.server.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.id.ApplicationId;
import io.sluice.server.user.KnownUsers;
import io.sluice.server.user.UserDirectory;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UserQuotaTest {
  private static final ApplicationId ONE = ApplicationId.of(1, 1);
  private static final ApplicationId TWO = ApplicationId.of(1, 2);

  private static Quotas limited(long userBytes, UserDirectory names) {
    return new Quotas(new QuotaLimits(userBytes, Long.MAX_VALUE, Long.MAX_VALUE), names);
  }

  private static KnownUsers whole(Map<ApplicationId, String> users) {
    return new KnownUsers(true, true, users);
  }

  @Test
  void anApplicationStaysWithTheUserHeardOfFirst() {
    Quotas quotas = limited(100, new UserDirectory());
    quotas.learn(whole(Map.of(ONE, "ada")));
    quotas.acquire(ONE).take(10);

    quotas.learn(whole(Map.of(ONE, "bob")));
    quotas.acquire(ONE).take(10);

    assertThat(quotas.usedByUser()).isEqualTo(Map.of("ada", 20L));
  }

  @Test
  void aListThatNamesAnApplicationNoMoreForgetsItUnlessItHoldsSomething() {
    UserDirectory names = new UserDirectory();
    Quotas quotas = limited(100, names);
    quotas.learn(whole(Map.of(ONE, "ada", TWO, "ada")));
    quotas.acquire(ONE).take(10);

    quotas.learn(whole(Map.of()));

    assertThat(names.size()).isEqualTo(1);
    quotas.acquire(TWO).take(5);
    assertThat(quotas.usedByUser()).isEqualTo(Map.of("ada", 10L));
  }

  @Test
  void aListIsNotOverBeforeItsLastPart() {
    UserDirectory names = new UserDirectory();
    Quotas quotas = limited(100, names);
    quotas.learn(whole(Map.of(ONE, "ada")));

    quotas.learn(new KnownUsers(true, false, Map.of(TWO, "bob")));
    assertThat(names.size()).isEqualTo(2);
    quotas.learn(new KnownUsers(false, true, Map.of()));

    assertThat(names.size()).isEqualTo(1);
  }

  @Test
  void namesAreBoundedAndWhoeverFindsNoRoomCountsAlone() {
    UserDirectory names = new UserDirectory(3);
    Quotas quotas = limited(100, names);
    Map<ApplicationId, String> many = new HashMap<>();
    for (int i = 0; i < 50; i++) {
      many.put(ApplicationId.of(9, i), "ada");
    }
    quotas.learn(whole(many));
    assertThat(names.size()).isEqualTo(3);

    many.keySet().forEach(id -> quotas.acquire(id).take(10));

    assertThat(quotas.usedByUser()).isEqualTo(Map.of("ada", 30L));
    assertThat(quotas.used()).isEqualTo(500);
  }

  @Test
  void quotasLiveAsLongAsShufflesNeedThemWhateverIsHeardOfTheEnd() {
    Quotas quotas = limited(100, new UserDirectory());
    quotas.learn(whole(Map.of(ONE, "ada", TWO, "ada")));
    assertThat(quotas.acquire(ONE)).isSameAs(quotas.acquire(ONE));
    quotas.acquire(TWO);

    quotas.release(ONE);
    quotas.release(TWO);
    assertThat(quotas.find(ONE)).isNotNull();
    assertThat(quotas.usedByUser()).containsOnlyKeys("ada");
    quotas.release(ONE);

    assertThat(quotas.find(ONE)).isNull();
    assertThat(quotas.usedByUser()).isEmpty();
    assertThatThrownBy(() -> quotas.release(ONE)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void withoutALimitForUsersThereAreNoAccounts() {
    Quotas quotas = limited(Long.MAX_VALUE, new UserDirectory());
    quotas.learn(whole(Map.of(ONE, "ada")));
    quotas.acquire(ONE).take(10);

    assertThat(quotas.usedByUser()).isEmpty();
  }

  @Test
  void givingBackMoreThanWasTakenIsABug() {
    Quotas quotas = limited(100, new UserDirectory());
    quotas.learn(whole(Map.of(ONE, "ada")));
    quotas.acquire(ONE).take(10);

    assertThatThrownBy(() -> quotas.acquire(ONE).giveBack(11))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void applicationsOfOneUserShareWhatIsDueToHim() {
    ApplicationId other = ApplicationId.of(1, 3);
    Quotas quotas = limited(100, new UserDirectory());
    quotas.learn(whole(Map.of(ONE, "ada", TWO, "ada", other, "bob")));
    quotas.acquire(ONE);
    quotas.acquire(other);
    assertThat(quotas.weight(ONE)).isEqualTo(1);
    quotas.acquire(TWO);
    assertThat(quotas.weight(ONE)).isEqualTo(0.5);
    assertThat(quotas.weight(TWO)).isEqualTo(0.5);
    assertThat(quotas.weight(other)).isEqualTo(1);
    assertThat(quotas.weight("whoever has not said who he is")).isEqualTo(1);
    quotas.release(TWO);
    assertThat(quotas.weight(ONE)).isEqualTo(1);
  }
}
