package io.sluice.coordinator.rest;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Under which names a browser may have this coordinator's page, where nobody shows a token. A name
 * that its owner can point here after a page of his has been loaded (DNS rebinding) is none of
 * them: it has a dot in it and is not ours. Immutable.
 */
public final class HostNames {
  private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[.*]");

  private final Set<String> own;

  /**
   * @param own names of this coordinator, without ports
   */
  public HostNames(Collection<String> own) {
    this.own = own.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /**
   * @param host as in the header, with or without a port
   */
  boolean includes(String host) {
    int port = host.lastIndexOf(':');
    boolean hasPort = port > host.lastIndexOf(']');
    String name = (hasPort ? host.substring(0, port) : host).toLowerCase(Locale.ROOT);
    return ADDRESS.matcher(name).matches() || !name.contains(".") || own.contains(name);
  }
}
