package io.sluice.transport;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import java.util.Objects;
import java.util.UUID;

/** Who the peer of a connection has proved to be. Immutable. */
public final class Principal {
  /** What kinds of peers there are. */
  public enum Kind {
    /** Nobody asked: security is off. */
    ANYONE,
    APPLICATION,
    /** A server, or whoever else has the cluster key. */
    MEMBER
  }

  private static final Principal ANYONE = new Principal(Kind.ANYONE, new UUID(0, 0));

  private final Kind kind;
  private final UUID id;

  private Principal(Kind kind, UUID id) {
    this.kind = kind;
    this.id = id;
  }

  /** A peer that did not have to prove anything. */
  public static Principal anyone() {
    return ANYONE;
  }

  public static Principal of(ApplicationId application) {
    return new Principal(Kind.APPLICATION, new UUID(application.high(), application.low()));
  }

  public static Principal of(ServerId member) {
    return new Principal(Kind.MEMBER, new UUID(member.high(), member.low()));
  }

  public Kind kind() {
    return kind;
  }

  /** The application's or the member's UUID; zero for anyone. */
  public UUID id() {
    return id;
  }

  /** Whether the peer may read and write what belongs to an application. */
  public boolean mayUse(ApplicationId application) {
    return kind != Kind.APPLICATION
        || (id.getMostSignificantBits() == application.high()
            && id.getLeastSignificantBits() == application.low());
  }

  /** Whether the peer may bring replicas as that server. */
  public boolean mayActAs(ServerId server) {
    return kind == Kind.ANYONE
        || (kind == Kind.MEMBER
            && id.getMostSignificantBits() == server.high()
            && id.getLeastSignificantBits() == server.low());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Principal
        && ((Principal) other).kind == kind
        && ((Principal) other).id.equals(id);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, id);
  }

  @Override
  public String toString() {
    switch (kind) {
      case ANYONE:
        return "anyone";
      case APPLICATION:
        return "application " + id;
      case MEMBER:
        return "member " + id;
    }
    throw new AssertionError(kind);
  }
}
