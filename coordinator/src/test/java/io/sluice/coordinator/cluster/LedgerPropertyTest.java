package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.admission.Held;
import io.sluice.coordinator.membership.ServerReport.Use;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Sums that follow every change, against counting everything anew. */
class LedgerPropertyTest {
  private final Ledger ledger = new Ledger();
  private final Set<ApplicationId> known = new HashSet<>();
  private final UseBook book = new UseBook(known::contains, ledger::bytes, 40);

  // The model.
  private final Map<ApplicationId, String> users = new HashMap<>();
  private final Map<ApplicationId, Long> copies = new HashMap<>();
  private final Map<ServerId, Map<ApplicationId, Long>> bytes = new HashMap<>();

  private static ApplicationId application(int number) {
    return ApplicationId.of(1, number);
  }

  @Property(tries = 300)
  void sumsAreThoseOfTheirParts(@ForAll long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 200; step++) {
      ApplicationId id = application(random.nextInt(12));
      ServerId server = ServerId.of(7, random.nextInt(6));
      switch (random.nextInt(6)) {
        case 0 -> {
          String user = "user-" + random.nextInt(3);
          known.add(id);
          users.put(id, user);
          ledger.registered(id, user);
        }
        case 1 -> {
          known.remove(id);
          users.remove(id);
          copies.remove(id);
          ledger.ended(id);
        }
        case 2 -> {
          if (known.contains(id)) {
            long count = random.nextInt(100);
            copies.put(id, count);
            ledger.copies(id, count);
          }
        }
        case 3 -> {
          bytes.remove(server);
          book.begin(server);
        }
        default -> say(id, server, random.nextInt(4) == 0 ? 0 : random.nextInt(1_000));
      }
      check();
    }
  }

  private void say(ApplicationId id, ServerId server, long held) {
    int lines = bytes.values().stream().mapToInt(Map::size).sum();
    Map<ApplicationId, Long> page = bytes.computeIfAbsent(server, s -> new HashMap<>());
    if (held == 0) {
      page.remove(id);
    } else if (page.containsKey(id) || (known.contains(id) && lines < 40)) {
      page.put(id, held);
    }
    book.take(server, List.of(new Use(id, held, held == 0 ? 0 : 1)));
  }

  private void check() {
    for (int number = 0; number < 12; number++) {
      ApplicationId id = application(number);
      assertThat(ledger.application(id))
          .isEqualTo(
              new Held(bytes(id), copies.getOrDefault(id, 0L), users.containsKey(id) ? 1 : 0));
      assertThat(book.of(id).values().stream().mapToLong(Use::bytes).sum()).isEqualTo(bytes(id));
    }
    for (int number = 0; number < 3; number++) {
      String user = "user-" + number;
      List<ApplicationId> his =
          users.keySet().stream().filter(id -> user.equals(users.get(id))).toList();
      assertThat(ledger.user(user))
          .isEqualTo(
              new Held(
                  his.stream().mapToLong(this::bytes).sum(),
                  his.stream().mapToLong(id -> copies.getOrDefault(id, 0L)).sum(),
                  his.size()));
    }
    assertThat(book.lines()).isLessThanOrEqualTo(40);
    assertThat(ledger.size()).isLessThanOrEqualTo(12 + 3);
  }

  private long bytes(ApplicationId id) {
    return bytes.values().stream().mapToLong(page -> page.getOrDefault(id, 0L)).sum();
  }
}
