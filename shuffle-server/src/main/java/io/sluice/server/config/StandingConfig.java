package io.sluice.server.config;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.Settings;
import io.sluice.common.placement.Label;
import io.sluice.common.placement.Place;
import java.util.List;
import java.util.Optional;

/**
 * Where a server stands, and what applications may ask for.
 *
 * @param tags at most {@link Label#TAGS_MAX}
 */
public record StandingConfig(Place place, List<String> tags) {
  public static final ConfigKey<Optional<String>> ZONE =
      ConfigKey.of("server.zone", "label", Label::parse)
          .doc(
              "What fails together with this server on a large scale, such as a data centre or an"
                  + " availability zone. Copies of a partition go to different zones where there"
                  + " are enough. Say it on all servers or on none: those without share one.")
          .optional();
  public static final ConfigKey<Optional<String>> RACK =
      ConfigKey.of("server.rack", "label", Label::parse)
          .doc("The same on a small scale, within the zone: a rack, a power supply, a switch.")
          .optional();
  public static final ConfigKey<Optional<List<String>>> TAGS =
      ConfigKey.listOf("server.tags", "label", Label::parse)
          .doc(
              "What this server is or has that others are not, or have not, such as `nvme`."
                  + " Applications may ask for servers with tags.")
          .optional();

  static final List<ConfigKey<?>> KEYS = List.of(ZONE, RACK, TAGS);

  static final ConfigCheck CHECK =
      ConfigCheck.over(
          List.of(TAGS),
          (settings, problems) -> {
            if (settings.get(TAGS).orElse(List.of()).size() > Label.TAGS_MAX) {
              problems.accept(TAGS + " are more than " + Label.TAGS_MAX);
            }
          });

  static StandingConfig from(Settings settings) {
    return new StandingConfig(
        new Place(settings.get(ZONE).orElse(""), settings.get(RACK).orElse("")),
        settings.get(TAGS).orElse(List.of()));
  }
}
