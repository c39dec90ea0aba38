package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.coordinator.admission.Gate;
import io.sluice.coordinator.admission.Quota;
import io.sluice.coordinator.admission.Subject;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who is let in, and how much each may have. */
final class AdmissionRoutes {
  private static final String QUOTAS = "/api/v1/quotas";
  private static final String QUOTA = QUOTAS + "/{subject}";
  private static final String ADMISSION = "/api/v1/admission";
  private static final int NAME_MAX = 256;

  private AdmissionRoutes() {}

  static List<Route> routes() {
    return List.of(
        Route.get(QUOTAS, AdmissionRoutes::list, "limit", "after"),
        Route.get(QUOTA, AdmissionRoutes::show),
        Route.change("PUT", QUOTA, AdmissionRoutes::limit),
        Route.change("DELETE", QUOTA, AdmissionRoutes::unlimit),
        Route.get(ADMISSION, (cluster, call, names) -> json(cluster.admission().gate())),
        Route.change("PUT", ADMISSION, AdmissionRoutes::open));
  }

  private static Object list(Cluster cluster, Call call, Map<String, String> names) {
    return Page.of(
        call,
        List.copyOf(cluster.admission().quotas().entrySet()),
        Map.Entry::getKey,
        text -> Subject.parse(text).toString(),
        entry -> json(entry.getKey(), entry.getValue()));
  }

  private static Object show(Cluster cluster, Call call, Map<String, String> names) {
    Subject subject = subject(names);
    Quota quota = cluster.admission().quotas().get(subject.toString());
    if (quota == null) {
      throw RestException.notFound(subject + " has no quota of its own");
    }
    return json(subject.toString(), quota);
  }

  private static CompletionStage<Object> limit(
      Cluster cluster, Call call, Map<String, String> names) {
    Subject subject = subject(names);
    Limits limits = Json.read(call.body(), Limits.class);
    if (subject.kind() == Subject.Kind.APPLICATION && limits.applications() != null) {
      throw RestException.of(
          400, ErrorCode.INVALID_ARGUMENT, "an application has no number of applications");
    }
    // None at all is a quota too: whoever has it is not limited as each other one is.
    Quota quota =
        new Quota(limit(limits.bytes()), limit(limits.partitions()), limit(limits.applications()));
    return cluster
        .admission()
        .limit(subject, quota)
        .thenApply(kept -> noted(cluster, subject.toString(), "the quota is set"));
  }

  private static CompletionStage<Object> unlimit(
      Cluster cluster, Call call, Map<String, String> names) {
    Subject subject = subject(names);
    return cluster
        .admission()
        .unlimit(subject)
        .thenApply(kept -> noted(cluster, subject.toString(), "the quota is removed"));
  }

  private static CompletionStage<Object> open(
      Cluster cluster, Call call, Map<String, String> names) {
    Gate gate = gate(Json.read(call.body(), GateJson.class));
    return cluster
        .admission()
        .open(gate)
        .thenApply(kept -> noted(cluster, "admission", "lists and load are set"));
  }

  /** What is put takes the place of all: what is left out would be opened without a word. */
  private static Gate gate(GateJson body) {
    List<@Nullable String> allow = body.allow();
    List<@Nullable String> deny = body.deny();
    Double loadMax = body.loadMax();
    if (allow == null || deny == null || loadMax == null) {
      throw RestException.of(
          400,
          ErrorCode.INVALID_ARGUMENT,
          "the body is without "
              + missing(allow, deny, loadMax)
              + ": it takes the place of the whole, so read that, change it, and send all of it");
    }
    return new Gate(new TreeSet<>(users(allow)), new TreeSet<>(users(deny)), loadMax);
  }

  private static String missing(
      @Nullable Object allow, @Nullable Object deny, @Nullable Object loadMax) {
    List<String> missing = new ArrayList<>();
    if (allow == null) {
      missing.add("allow");
    }
    if (deny == null) {
      missing.add("deny");
    }
    if (loadMax == null) {
      missing.add("load_max");
    }
    return String.join(", ", missing);
  }

  private static List<String> users(List<@Nullable String> list) {
    for (String user : list) {
      if (user == null || user.isEmpty() || user.length() > NAME_MAX) {
        throw RestException.of(
            400, ErrorCode.INVALID_ARGUMENT, "a user has 1 to " + NAME_MAX + " letters");
      }
    }
    return list.stream().map(String::valueOf).toList();
  }

  private static Object noted(Cluster cluster, String subject, String what) {
    cluster.events().add(ClusterEvent.Kind.OPERATOR, subject, what);
    return RestApi.Done.DONE;
  }

  private static Subject subject(Map<String, String> names) {
    return Subject.parse(names.getOrDefault("subject", ""));
  }

  private static long limit(@Nullable Long given) {
    return given == null ? Quota.UNLIMITED : given;
  }

  private static @Nullable Long shown(long limit) {
    return limit == Quota.UNLIMITED ? null : limit;
  }

  private static QuotaJson json(String subject, Quota quota) {
    return new QuotaJson(
        subject,
        new Limits(shown(quota.bytes()), shown(quota.partitions()), shown(quota.applications())));
  }

  private static GateJson json(Gate gate) {
    return new GateJson(
        List.copyOf(new TreeSet<>(gate.allow())),
        List.copyOf(new TreeSet<>(gate.deny())),
        gate.loadMax());
  }

  private record QuotaJson(String subject, Limits limits) {}

  private record Limits(
      @Nullable Long bytes, @Nullable Long partitions, @Nullable Long applications) {}

  private record GateJson(
      @Nullable List<@Nullable String> allow,
      @Nullable List<@Nullable String> deny,
      @Nullable Double loadMax) {}
}
