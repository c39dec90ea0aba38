package io.sluice.server;

import io.sluice.common.error.CannotListenException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.security.SecurityConfig;
import io.sluice.http.StatusPages;
import io.sluice.server.config.ServerConfig;
import io.sluice.transport.netty.EventLoops;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * The ports of a server, which it takes once and before it touches a disk: one that cannot have
 * them claims no directory. Until the server is ready connections to data ports are closed, and
 * pages say that there is nothing yet.
 *
 * @param events that serve the data ports
 * @param endpoints where others find what is behind them
 */
record HeldPorts(
    EventLoops events, DataPorts data, StatusPages http, ControlLink.Endpoints endpoints) {

  /**
   * Takes them.
   *
   * @param started what was started goes there
   * @throws CannotListenException if one cannot be had
   * @throws SluiceException INVALID_CONFIGURATION if it cannot be said under which name
   */
  static HeldPorts take(ServerConfig config, SecurityConfig security, StopList started) {
    ServerConfig.Advertised advertised = config.advertised();
    String host = advertised.host().orElseGet(HeldPorts::hostName);
    EventLoops events = DataPorts.eventLoops(config, started);
    DataPorts data = DataPorts.hold(config, security, events, started);
    StatusPages http =
        started.add(
            "HTTP",
            StatusPages.bind(
                new InetSocketAddress(config.listen().bindAddress(), config.listen().httpPort()),
                ServerConfig.HTTP_PORT.name()));
    ControlLink.Endpoints endpoints =
        new ControlLink.Endpoints(
            host,
            advertised.port().orElse(data.port()),
            config.grpc().advertisedPort().orElse(data.grpcPort().orElse(0)),
            http.port(),
            config.standing());
    return new HeldPorts(events, data, http, endpoints);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "this machine's host name cannot be found out: set " + ServerConfig.HOST,
          e);
    }
  }

  /** For the log. */
  @Override
  public String toString() {
    return "port "
        + data.port()
        + (data.grpcPort().isPresent() ? ", over gRPC on port " + data.grpcPort().getAsInt() : "")
        + ", for clients at "
        + endpoints.host()
        + ":"
        + endpoints.port()
        + "; metrics and health on port "
        + http.port();
  }
}
