package io.sluice.client.fetch;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.FetchStream;
import io.sluice.client.connection.ServerConnection;
import io.sluice.common.error.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * A run of what a reader wants from one server, and how that is going. On the task's thread; event
 * loops only read what is final.
 */
final class ServerFetch {
  /** Where it stands. */
  enum State {
    /** No stream yet. */
    WAITING,
    STREAMING,
    /** Will be asked again after a pause. */
    PAUSED,
    /** Asked for the last time. */
    DONE
  }

  private final int index;
  private final PlacedServer server;
  private final ServerConnection connection;
  private final Run run;
  private final boolean standIn;
  private final Failures ofServer;
  private final Failures failures = new Failures();
  private final DamageSeen damage;

  private State state = State.WAITING;
  private @Nullable FetchStream stream;
  private @Nullable LandingStream landing;
  private boolean continued;
  private boolean askedAgainForDisk;
  private @Nullable SluiceException failure;
  private boolean suspected;

  /**
   * @param index of the server in the placement
   * @param run of partitions that the server is asked for
   * @param standIn whether others were asked for it before
   * @param ofServer shared by all that the server is asked for
   */
  ServerFetch(
      int index,
      PlacedServer server,
      ServerConnection connection,
      Run run,
      boolean standIn,
      Failures ofServer) {
    this.index = index;
    this.server = server;
    this.connection = connection;
    this.run = run;
    this.standIn = standIn;
    this.continued = standIn;
    this.ofServer = ofServer;
    this.damage = new DamageSeen(run);
  }

  private ServerFetch(ServerFetch ended) {
    index = ended.index;
    server = ended.server;
    connection = ended.connection;
    run = ended.run;
    standIn = ended.standIn;
    continued = ended.continued;
    ofServer = ended.ofServer;
    damage = ended.damage;
    suspected = ended.suspected;
  }

  /** The server's index in the placement. */
  int index() {
    return index;
  }

  PlacedServer server() {
    return server;
  }

  ServerConnection connection() {
    return connection;
  }

  Run run() {
    return run;
  }

  /** Whether others were asked for it before, and did not bring it then. */
  boolean isStandIn() {
    return standIn;
  }

  /** Whether somebody was asked for it before, and may have brought a part. */
  boolean isContinued() {
    return continued;
  }

  State state() {
    return state;
  }

  void streaming(FetchStream newStream, LandingStream newLanding) {
    state = State.STREAMING;
    continued = true;
    stream = newStream;
    landing = newLanding;
  }

  /** The same request once more, for when this one was ended to make room. */
  ServerFetch anew() {
    return new ServerFetch(this);
  }

  /** Whether what is at a position of the range may come by it, as far as anybody counts on it. */
  boolean mayBring(int position) {
    return state != State.DONE && run.contains(position);
  }

  /** Whether it may well bring what it was asked for: it is not over, and nothing is wrong. */
  boolean isHopeful() {
    return state != State.DONE && !suspected;
  }

  /** The server does not do its part at the moment, but may again. */
  void suspect() {
    suspected = true;
  }

  boolean isSuspected() {
    return suspected;
  }

  void paused() {
    state = State.PAUSED;
    noStream();
  }

  void done(@Nullable SluiceException why) {
    state = State.DONE;
    failure = why;
    noStream();
  }

  private void noStream() {
    stream = null;
    landing = null;
  }

  @Nullable FetchStream stream() {
    return stream;
  }

  /** Of the stream, while it is {@link State#STREAMING}. */
  @Nullable LandingStream landing() {
    return landing;
  }

  void countFailure(long now) {
    failures.add(now);
    ofServer.add(now);
  }

  /** Failed streams of this request. */
  Failures failures() {
    return failures;
  }

  /** Failed streams of all that the server is asked for. */
  Failures failuresOfServer() {
    return ofServer;
  }

  void gotSomethingNew() {
    failures.end();
    ofServer.end();
    suspected = false;
    askedAgainForDisk = false;
    damage.gotSomethingNew();
  }

  /** Of what it was asked for, by this request and those that it has taken the place of. */
  DamageSeen damage() {
    return damage;
  }

  /** True once since anything new came: a disk may fail only for a moment. */
  boolean mayAskAgainForDisk() {
    boolean may = !askedAgainForDisk;
    askedAgainForDisk = true;
    return may;
  }

  @Nullable SluiceException failure() {
    return failure;
  }

  /** For the message of what is missing. */
  String account() {
    SluiceException why = failure;
    String damaged = damage.last();
    if (why != null) {
      return "server " + server + " (" + why.getMessage() + ")";
    }
    return "server " + server + (damaged != null ? " (" + damaged + ")" : "");
  }
}
