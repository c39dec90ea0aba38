package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.membership.ServerReport.Use;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Applications, their shuffles, and where these are. */
final class ApplicationRoutes {
  private static final String ALL = "/api/v1/applications";
  private static final String ONE = ALL + "/{application}";
  private static final String SHUFFLES = ONE + "/shuffles";
  private static final String SHUFFLE = SHUFFLES + "/{shuffle}/{generation}";

  private static final Pattern KEY = Pattern.compile("[0-9]{10}-[0-9]{10}");

  /** Replica sets in one answer. */
  private static final int SETS_MAX = 1_000;

  private ApplicationRoutes() {}

  static List<Route> routes() {
    return List.of(
        Route.get(ALL, ApplicationRoutes::list, "limit", "after", "user"),
        Route.get(ONE, ApplicationRoutes::show),
        Route.change(
            "DELETE",
            ONE,
            (cluster, call, names) ->
                cluster
                    .kill(Ids.application(names), by(call.caller()))
                    .thenApply(kept -> RestApi.Done.DONE)),
        Route.get(SHUFFLES, ApplicationRoutes::shuffles, "limit", "after"),
        Route.get(SHUFFLE, ApplicationRoutes::shuffle),
        Route.get(SHUFFLE + "/placement", ApplicationRoutes::placement, "limit", "first"));
  }

  /** As the audit log names them. */
  private static String by(Caller caller) {
    return caller.who() + " from " + caller.from();
  }

  private static Object list(Cluster cluster, Call call, Map<String, String> names) {
    String user = call.parameter("user").orElse("");
    List<ApplicationView> chosen =
        cluster.applications().stream()
            .filter(view -> user.isEmpty() || view.application().user().equals(user))
            .toList();
    return Page.of(
        call,
        chosen,
        view -> view.application().id().toString(),
        Ids::key,
        view -> json(cluster, view));
  }

  private static Object show(Cluster cluster, Call call, Map<String, String> names) {
    ApplicationView view = known(cluster, Ids.application(names));
    ApplicationId id = view.application().id();
    List<Part> parts = new ArrayList<>();
    Map<ServerId, Use> uses = cluster.uses().of(id);
    uses.forEach(
        (server, use) -> parts.add(new Part(server.toString(), use.bytes(), use.partitions())));
    parts.sort(Comparator.comparingLong(Part::bytes).reversed().thenComparing(Part::server));
    return new Detail(
        json(cluster, view),
        parts.subList(0, Math.min(parts.size(), SETS_MAX)),
        skew(uses.values().stream().map(Use::bytes).toList()));
  }

  private static ApplicationView known(Cluster cluster, ApplicationId id) {
    ApplicationView view = cluster.application(id);
    if (view == null) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_APPLICATION, "application " + id + " is not registered");
    }
    return view;
  }

  private static Object shuffles(Cluster cluster, Call call, Map<String, String> names) {
    ApplicationId id = known(cluster, Ids.application(names)).application().id();
    List<Known> all = new ArrayList<>();
    cluster.shuffles(id).forEach((key, placement) -> all.add(Known.of(key, placement)));
    cluster.earlierShuffles(id).forEach((key, copies) -> all.add(new Known(key, null, copies)));
    return Page.of(
        call, all, shuffle -> key(shuffle.key()), ApplicationRoutes::readKey, Known::json);
  }

  /** Sorts by numbers as text. */
  private static String key(ShuffleKey shuffle) {
    return String.format(Locale.ROOT, "%010d-%010d", shuffle.shuffleId(), shuffle.generation());
  }

  private static String readKey(String text) {
    if (!KEY.matcher(text).matches()) {
      throw new IllegalArgumentException("no key of a shuffle: one is 0000000003-0000000000");
    }
    return text;
  }

  private static Object shuffle(Cluster cluster, Call call, Map<String, String> names) {
    return knownShuffle(cluster, Ids.shuffle(names)).json();
  }

  private static Known knownShuffle(Cluster cluster, ShuffleKey key) {
    known(cluster, key.application());
    Placement placement = cluster.shuffles(key.application()).get(key);
    if (placement != null) {
      return Known.of(key, placement);
    }
    Integer copies = cluster.earlierShuffles(key.application()).get(key);
    if (copies != null) {
      return new Known(key, null, copies);
    }
    throw new SluiceException(
        ErrorCode.UNKNOWN_SHUFFLE,
        "this leader has placed no shuffle " + key + ", and no driver has told it of that one");
  }

  private static Placement placed(Cluster cluster, ShuffleKey key) {
    Placement placement = knownShuffle(cluster, key).placement();
    if (placement == null) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE,
          "an earlier leader placed shuffle " + key + ", and its driver alone knows where");
    }
    return placement;
  }

  private static Object placement(Cluster cluster, Call call, Map<String, String> names) {
    Placement placement = placed(cluster, Ids.shuffle(names));
    int first = (int) call.number("first", 0, 0, Integer.MAX_VALUE);
    int limit = call.limit();
    List<String> servers =
        placement.servers().stream().map(server -> server.id().toString()).toList();
    List<List<Integer>> sets = new ArrayList<>();
    int replicas = placement.replicas();
    for (int p = first; p < placement.partitions() && sets.size() < limit; p++) {
      List<Integer> set = new ArrayList<>(replicas);
      for (int r = 0; r < replicas; r++) {
        set.add(placement.assignment()[p * replicas + r]);
      }
      sets.add(set);
    }
    return new Sets(placement.partitions(), first, servers, sets);
  }

  // ------------------------------------------------------------------------------------ views

  private static ApplicationJson json(Cluster cluster, ApplicationView view) {
    ApplicationRecord record = view.application();
    var held = cluster.holdings().application(record.id());
    return new ApplicationJson(
        record.id().toString(),
        record.engineId(),
        record.engine(),
        record.user(),
        record.clientVersion(),
        record.registeredAtMillis(),
        view.shuffles(),
        held.bytes(),
        held.partitions(),
        new Wishes(
            record.wishes().style().map(PlacementStyle::name).orElse(null),
            List.copyOf(record.wishes().tags()),
            record.wishes().zone()));
  }

  /**
   * What is known of a shuffle.
   *
   * @param placement null if an earlier leader made it
   * @param copies of partitions
   */
  private record Known(ShuffleKey key, @Nullable Placement placement, int copies) {
    static Known of(ShuffleKey key, Placement placement) {
      return new Known(key, placement, placement.assignment().length);
    }

    ShuffleJson json() {
      Placement where = placement;
      if (where == null) {
        return new ShuffleJson(
            key.shuffleId(), key.generation(), copies, true, null, null, null, null, null);
      }
      long[] counts = new long[where.servers().size()];
      for (int server : where.assignment()) {
        counts[server]++;
      }
      return new ShuffleJson(
          key.shuffleId(),
          key.generation(),
          copies,
          false,
          where.partitions(),
          where.replicas(),
          where.servers().size(),
          skew(Arrays.stream(counts).boxed().toList()),
          where.apart().name());
    }
  }

  /** The largest over the mean, 1 where there is nothing. */
  private static double skew(List<Long> figures) {
    double sum = figures.stream().mapToLong(Long::longValue).sum();
    long largest = figures.stream().mapToLong(Long::longValue).max().orElse(0);
    return sum <= 0 ? 1 : largest * figures.size() / sum;
  }

  private record ApplicationJson(
      String id,
      String engineId,
      String engine,
      String user,
      String clientVersion,
      long registeredAtMillis,
      int shuffles,
      long bytes,
      long partitions,
      Wishes placement) {}

  /**
   * @param style null: the cluster's
   */
  private record Wishes(@Nullable String style, List<String> tags, String zone) {}

  private record Detail(ApplicationJson application, List<Part> servers, double skew) {}

  private record Part(String server, long bytes, long partitions) {}

  /**
   * @param earlier whether an earlier leader placed it; then what is null is not known
   */
  private record ShuffleJson(
      int shuffle,
      int generation,
      int copies,
      boolean earlier,
      @Nullable Integer partitions,
      @Nullable Integer replicas,
      @Nullable Integer servers,
      @Nullable Double skew,
      @Nullable String apart) {}

  private record Sets(
      int partitions, int first, List<String> servers, List<List<Integer>> replicaSets) {}
}
