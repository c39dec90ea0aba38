package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.config.RemoteStorage;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.PrivilegedExceptionAction;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * As whom the server speaks to HDFS. Thread-safe.
 *
 * <p>A keytab's ticket is looked at before every call, which costs a comparison of times, and
 * renewed in the last fifth of its life: so it is fresh however long the tier has been idle, and no
 * timer is needed.
 *
 * @param login whose credentials are used
 * @param acting whose name files get: the same, or somebody the login may stand for
 */
record HdfsUser(UserGroupInformation login, UserGroupInformation acting) {
  /** Makes Hadoop take the machine's own name. */
  private static final String ANY_ADDRESS = "0.0.0.0";

  /**
   * Logs in as the configuration says. Hadoop keeps one security configuration per process, which
   * is set here.
   *
   * @throws SluiceException INVALID_CONFIGURATION if the keytab or principal is refused,
   *     DISK_FAILED if nobody answers who could
   */
  static HdfsUser login(
      Configuration hadoop, Optional<RemoteStorage.Login> kerberos, Optional<String> proxyUser) {
    UserGroupInformation.setConfiguration(hadoop);
    UserGroupInformation login;
    try {
      if (kerberos.isPresent()) {
        login = loginFromKeytab(kerberos.get());
      } else if (UserGroupInformation.isSecurityEnabled()) {
        throw new SluiceException(
            ErrorCode.INVALID_CONFIGURATION,
            "HDFS wants Kerberos, but no principal and keytab are configured");
      } else {
        login = UserGroupInformation.getLoginUser();
      }
    } catch (IOException e) {
      throw new SluiceException(
          isUnreachable(e) ? ErrorCode.DISK_FAILED : ErrorCode.INVALID_CONFIGURATION,
          "cannot log in to HDFS" + kerberos.map(k -> " as " + k.principal()).orElse(""),
          e);
    }
    UserGroupInformation acting =
        proxyUser.map(name -> UserGroupInformation.createProxyUser(name, login)).orElse(login);
    return new HdfsUser(login, acting);
  }

  /** Whether it is the network, and the same login may do later. */
  private static boolean isUnreachable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketException
          || cause instanceof SocketTimeoutException
          || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static UserGroupInformation loginFromKeytab(RemoteStorage.Login kerberos)
      throws IOException {
    if (!UserGroupInformation.isSecurityEnabled()) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "a Kerberos principal is configured, but Hadoop's configuration does not say"
              + " hadoop.security.authentication=kerberos");
    }
    // _HOST stands for this machine's name, as in Hadoop's own configuration.
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
        SecurityUtil.getServerPrincipal(kerberos.principal(), ANY_ADDRESS),
        kerberos.keytab().toString());
  }

  /** The same login in somebody else's name; whether it may, HDFS says at the first call. */
  HdfsUser inTheNameOf(String user) {
    return new HdfsUser(login, UserGroupInformation.createProxyUser(user, login));
  }

  /** What the client calls it; HDFS may call it otherwise. */
  String name() {
    return acting.getShortUserName();
  }

  /** Carries out an action under this user's name. */
  <T> T doAs(PrivilegedExceptionAction<T> action) throws IOException, InterruptedException {
    if (login.isFromKeytab()) {
      login.checkTGTAndReloginFromKeytab();
    }
    return acting.doAs(action);
  }

  @Override
  public String toString() {
    return acting.toString();
  }
}
