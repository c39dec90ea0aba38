package io.sluice.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.server.user.KnownUsers;
import io.sluice.server.user.UserDirectory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Blocks, ends of applications and word of users in any order, beside a naive model. */
class QuotasPropertyTest {
  private static final int APPLICATIONS = 6;
  private static final int STEPS = 120;
  private static final long USER_LIMIT = 50;
  private static final long LIMIT = 30;
  private static final int MAX_NAMES = 4;

  private final UserDirectory directory = new UserDirectory(MAX_NAMES);
  private final Quotas quotas =
      new Quotas(new QuotaLimits(USER_LIMIT, LIMIT, Long.MAX_VALUE), directory);
  // The model: what applications hold; who has a quota; whose user is known, and since which list.
  private final Map<ApplicationId, Long> held = new HashMap<>();
  private final Map<ApplicationId, String> names = new HashMap<>();
  private final Map<ApplicationId, String> owners = new HashMap<>();
  private final Set<ApplicationId> named = new HashSet<>();

  @Property(tries = 500)
  void countsWhatAModelCounts(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < STEPS; step++) {
      act(random, ApplicationId.of(3, random.nextInt(APPLICATIONS)));
      compare();
    }
  }

  private void act(SplittableRandom random, ApplicationId id) {
    long has = held.getOrDefault(id, 0L);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        long bytes = random.nextInt(20);
        if (!held.containsKey(id)) {
          quotas.acquire(id);
        }
        quota(id).take(bytes);
        held.put(id, has + bytes);
        adopt(id);
      }
      case 3 -> {
        if (has > 0) {
          long back = random.nextLong(has) + 1;
          quota(id).giveBack(back);
          held.put(id, has - back);
        }
      }
      case 4 -> end(id, has, random.nextBoolean());
      case 5 -> tell(false, false, Map.of(id, "user" + random.nextInt(3)));
      case 6 -> tell(true, false, Map.of(id, "user" + random.nextInt(3)));
      default -> tell(random.nextBoolean(), true, Map.of(id, "user" + random.nextInt(3)));
    }
  }

  private void end(ApplicationId id, long has, boolean forgotten) {
    if (held.containsKey(id)) {
      quota(id).giveBack(has);
      quotas.release(id);
      held.remove(id);
      owners.remove(id);
    }
    if (forgotten) {
      quotas.forget(id);
      names.remove(id);
    }
  }

  private ByteQuota quota(ApplicationId id) {
    return Objects.requireNonNull(quotas.find(id));
  }

  private void tell(boolean first, boolean last, Map<ApplicationId, String> users) {
    quotas.learn(new KnownUsers(first, last, users));
    if (first) {
      named.clear();
    }
    users.forEach(
        (id, user) -> {
          if (names.containsKey(id) || names.size() < MAX_NAMES) {
            names.putIfAbsent(id, user);
            named.add(id);
          }
        });
    if (last) {
      names.keySet().removeIf(id -> !named.contains(id) && !held.containsKey(id));
    }
    held.keySet().forEach(this::adopt);
  }

  /** Whoever has a quota belongs to the user known then, for good. */
  private void adopt(ApplicationId id) {
    if (names.containsKey(id)) {
      owners.putIfAbsent(id, Objects.requireNonNull(names.get(id)));
    }
  }

  private void compare() {
    Map<String, Long> byUser = new HashMap<>();
    held.forEach(
        (id, bytes) -> {
          @Nullable String owner = owners.get(id);
          if (owner != null) {
            byUser.merge(owner, bytes, Long::sum);
          }
        });
    assertThat(quotas.usedByUser()).isEqualTo(byUser);
    assertThat(quotas.used()).isEqualTo(held.values().stream().mapToLong(Long::longValue).sum());
    assertThat(directory.size()).isEqualTo(names.size());
    assertThat(quotas.exhaustedUsers())
        .isEqualTo(byUser.values().stream().filter(bytes -> bytes >= USER_LIMIT).count());
    held.forEach(
        (id, bytes) -> {
          @Nullable String owner = owners.get(id);
          long ofUser = owner == null ? 0 : byUser.getOrDefault(owner, 0L);
          assertThat(quota(id).exhausted()).isEqualTo(bytes >= LIMIT || ofUser >= USER_LIMIT);
        });
  }
}
