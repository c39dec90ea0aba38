package io.sluice.coordinator;

import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Scheduler;
import io.sluice.common.tls.Tls;
import io.sluice.coordinator.grpc.GrpcForward;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.rest.Access;
import io.sluice.coordinator.rest.AuditLog;
import io.sluice.coordinator.rest.HostNames;
import io.sluice.coordinator.rest.LeaderForward;
import io.sluice.coordinator.rest.RestApi;
import io.sluice.coordinator.rest.RestSite;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** How the REST interface is entered: who is let in, and whether over TLS. */
record RestDoor(Access access, Optional<Tls> tls) {
  private static final int WAITING_ANSWERS = 256;

  /**
   * Checks who is to be let in, before anything is started.
   *
   * @throws SluiceException INVALID_CONFIGURATION
   */
  static RestDoor of(CoordinatorConfig config, SecurityConfig security) {
    CoordinatorConfig.Http http = config.http();
    List<String> admins =
        http.adminCertificates().stream()
            .flatMap(names -> Arrays.stream(names.split(";")))
            .map(String::trim)
            .toList();
    Access access =
        Access.of(
            http.readTokenFile(), http.adminTokenFile(), admins, security.clusterKey().isPresent());
    boolean tokens = http.readTokenFile().isPresent() || http.adminTokenFile().isPresent();
    boolean secured = security.clusterKey().isPresent();
    CoordinatorChecks.certificates(!admins.isEmpty(), secured, RestDoor::refuse);
    CoordinatorChecks.tokens(tokens, secured, RestDoor::refuse);
    if (tokens && !http.tls()) {
      security.checkTokens(config.listen().bindAddress(), CoordinatorConfig.HTTP_TLS.name());
    }
    CoordinatorChecks.tls(http.tls(), security.tls().isPresent(), RestDoor::refuse);
    return new RestDoor(access, security.tls().filter(tls -> http.tls()));
  }

  private static void refuse(String why) {
    throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, why);
  }

  RestApi api(Scheduler control, Leadership leadership, StopList parts) {
    ThreadPoolExecutor encoder =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_ANSWERS),
            task -> {
              Thread thread = new Thread(task, "sluice-rest");
              thread.setDaemon(true);
              return thread;
            });
    parts.add("REST", encoder::shutdown);
    return new RestApi(control, leadership, encoder, AuditLog.ofLogger(control));
  }

  /**
   * @param hosts names of this coordinator
   */
  RestSite site(
      RestApi api,
      SecurityConfig security,
      HostNames hosts,
      List<Settings.Entry> settings,
      StopList parts) {
    LeaderForward forward = new GrpcForward(security);
    parts.add("calls to the leader", forward);
    return new RestSite(api, access, hosts, forward, settings);
  }
}
