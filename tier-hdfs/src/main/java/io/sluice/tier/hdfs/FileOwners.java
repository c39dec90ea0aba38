package io.sluice.tier.hdfs;

import io.sluice.server.segment.SegmentFileName;
import io.sluice.server.tier.Owners;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In whose name files are made, opened and deleted. Thread-safe; whoever asks may wait for a
 * connection.
 *
 * <p>A new segment is its application's user's, if that is known and HDFS lets the server act for
 * that user, else the server's. What there is already, is whoever HDFS says it is: so nothing has
 * to be known of applications for their files to be read and deleted, after a restart or by a
 * stand-in.
 */
final class FileOwners {
  private static final Logger log = LoggerFactory.getLogger(FileOwners.class);

  /** Names that HDFS gives no second meaning: no realm, no host, nothing that ends a log's line. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9._-]{0,63}");

  /** Users of whom it was said that they were refused. */
  private static final int TOLD_MAX = 1_000;

  private final HdfsClient server;
  private final String serverName;
  private final UserConnections users;
  private final Owners applications;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /**
   * @param serverName whose the server's files are, as HDFS says
   * @param applications whose they are; {@link Owners#NOBODY} if new files are to be the server's
   */
  FileOwners(HdfsClient server, String serverName, UserConnections users, Owners applications) {
    this.server = server;
    this.serverName = serverName;
    this.users = users;
    this.applications = applications;
  }

  /** Whether new files may be somebody else's than the server's. */
  boolean impersonates() {
    return applications != Owners.NOBODY;
  }

  /** Whether a file is another's than the server's. */
  boolean isForeign(FileStatus file) {
    return !file.getOwner().equals(serverName);
  }

  /** Whose a new file should be, or null if the server's. */
  @Nullable String ofNew(String folder, String name) {
    SegmentFileName segment =
        SegmentFileName.FOLDER.equals(folder) ? SegmentFileName.parse(name) : null;
    String user = segment == null ? null : applications.of(segment.shuffle().application());
    return serverName.equals(user) ? null : user;
  }

  /**
   * For whatever is done with a file of this owner.
   *
   * @throws IOException a {@linkplain #isRefusal refusal}, too: sometimes here, more often by the
   *     first call
   */
  FileAccess toUse(String owner) throws IOException {
    if (owner.equals(serverName)) {
      return FileAccess.over(server);
    }
    if (!PLAIN.matcher(owner).matches()) {
      throw new AccessControlException("no plain name");
    }
    return users.borrow(owner);
  }

  /** Whether HDFS does not let a user do this, or does not let the server act for the user. */
  static boolean isRefusal(IOException failure) {
    IOException told =
        failure instanceof RemoteException remote
            ? remote.unwrapRemoteException(AccessControlException.class)
            : failure;
    return told instanceof AccessControlException
        || (failure instanceof RemoteException remote
            && remote.getClassName().endsWith("AuthorizationException"));
  }

  /** A refusal as callers know it who do not know Hadoop; any other failure as it is. */
  static IOException refusedOr(IOException failure, Path file) {
    if (!isRefusal(failure)) {
      return failure;
    }
    AccessDeniedException refused =
        new AccessDeniedException(file.toString(), null, failure.getMessage());
    refused.initCause(failure);
    return refused;
  }

  /** A user's name, if it is fit for a log. */
  static String shown(String user) {
    return PLAIN.matcher(user).matches() ? user : "of " + user.length() + " letters";
  }

  /** Says once that a user's files are made in the server's name instead. */
  void tellRefused(String user, String why) {
    if (told.size() < TOLD_MAX && told.add(user)) {
      log.warn("HDFS: segments of user {} belong to {}: {}", shown(user), serverName, why);
    }
  }
}
