package io.sluice.common.error;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * A process cannot listen where it was told to: ADDRESS_IN_USE if somebody else listens there,
 * INVALID_CONFIGURATION if the address is not this machine's or the port not allowed.
 */
public final class CannotListenException extends SluiceException {
  private static final long serialVersionUID = 1;

  private CannotListenException(ErrorCode code, String message, Throwable cause) {
    super(code, message, cause);
  }

  /**
   * Tells why from what a bind has thrown.
   *
   * <p>A {@link BindException} says only in its text whether the port is taken or the address is
   * not ours; the interfaces say the latter too.
   */
  public static CannotListenException of(InetSocketAddress address, Throwable cause) {
    if (causedByBind(cause) && isOurs(address)) {
      return inUse(address, cause);
    }
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String why = root.getMessage() == null ? root.toString() : root.getMessage();
    return new CannotListenException(
        ErrorCode.INVALID_CONFIGURATION, "cannot listen on " + text(address) + ": " + why, cause);
  }

  /** For who knows that the port is taken. */
  public static CannotListenException inUse(InetSocketAddress address, Throwable cause) {
    return new CannotListenException(
        ErrorCode.ADDRESS_IN_USE,
        "cannot listen on " + text(address) + ": the port is in use",
        cause);
  }

  /** The same, naming the setting that chose the port. */
  public CannotListenException chosenBy(String setting) {
    return new CannotListenException(code(), setting + ": " + detail(), this);
  }

  private static boolean causedByBind(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOurs(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (host == null) {
      return false; // its name has no address
    }
    try {
      return host.isAnyLocalAddress()
          || host.isLoopbackAddress()
          || NetworkInterface.getByInetAddress(host) != null;
    } catch (SocketException unknown) {
      return false;
    }
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }
}
