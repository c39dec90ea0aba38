package org.apache.spark.shuffle.sluice.ui;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.spark.shuffle.sluice.config.FallbackPolicy;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;

/** What the configuration says, for the head of the page. No secrets. Immutable. */
public final class ApplicationFacts {
  private final List<Fact> facts;

  private ApplicationFacts(List<Fact> facts) {
    this.facts = List.copyOf(facts);
  }

  /** One of them. */
  static final class Fact {
    /** In JSON. */
    final String key;

    /** For people. */
    final String label;

    final String value;

    Fact(String key, String label, String value) {
      this.key = key;
      this.label = label;
      this.value = value;
    }
  }

  /**
   * @param version of Sluice
   */
  public static ApplicationFacts of(SluiceConfig config, String version) {
    List<Fact> facts = new ArrayList<>();
    config.applicationId().ifPresent(id -> facts.add(new Fact("application", "Application", id)));
    facts.add(
        new Fact(
            "coordinators",
            "Coordinators",
            config.coordinators().stream()
                .map(Object::toString)
                .collect(Collectors.joining(", "))));
    facts.add(new Fact("transport", "Transport", config.transport()));
    facts.add(
        new Fact("replicas", "Servers that hold each block", String.valueOf(config.replicas())));
    facts.add(new Fact("codec", "Codec", config.codec()));
    facts.add(new Fact("fallback", "Fallback", fallback(config)));
    facts.add(new Fact("version", "Sluice", version));
    return new ApplicationFacts(facts);
  }

  private static String fallback(SluiceConfig config) {
    String policy = config.fallback().name().toLowerCase(Locale.ROOT);
    if (config.fallback() != FallbackPolicy.AUTO) {
      return policy;
    }
    String patience = "after " + config.placementPatience().toMillis() + " ms";
    return config.fallbackPartitions() == 0
        ? policy + ", " + patience
        : policy
            + ", "
            + patience
            + ", and at once below "
            + config.fallbackPartitions()
            + " partitions";
  }

  /** For tests. */
  static ApplicationFacts of(List<Fact> facts) {
    return new ApplicationFacts(facts);
  }

  List<Fact> all() {
    return facts;
  }
}
