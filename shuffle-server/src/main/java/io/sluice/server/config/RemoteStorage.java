package io.sluice.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The tier on a remote file system, as configured.
 *
 * @param root folder that all servers of the cluster share, with its scheme
 * @param configuration files or folders of Hadoop's XML configuration
 * @param replication of segments
 * @param deadline of one call
 * @param login Kerberos principal and keytab
 * @param proxyUser in whose name files are written, if not the login's
 * @param impersonate whether segments belong to the users of their applications
 */
public record RemoteStorage(
    String root,
    List<Path> configuration,
    int replication,
    Duration deadline,
    Optional<Login> login,
    Optional<String> proxyUser,
    boolean impersonate) {

  /** Stores taken over from dead servers that one server serves at most. */
  public static final int ADOPTED_MAX = 16;

  /** Who the server is to Kerberos. */
  public record Login(String principal, Path keytab) {}
}
