package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.credit.ConnectionAccount;
import io.sluice.server.credit.CreditHolder;
import io.sluice.server.fetch.ConnectionFetches;
import io.sluice.server.ingest.BlockIngest;
import io.sluice.server.inventory.ConnectionInventory;
import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.Principal;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: its handles, its credit, its pushes and its fetches. On the connection's
 * event loop.
 */
final class ServerConnection implements ServerSession, CreditHolder {
  /** WANTs a client may have unanswered at a time. */
  private static final int MAX_WANTS = 16;

  private final ServerLink link;
  private final boolean ofReplicas;
  private final Principal principal;
  private final CoreParts parts;
  private final LiveConnections live;
  private final ConnectionAccount account;
  private final BlockIngest ingest;
  private final ConnectionFetches fetches;
  private final ConnectionInventory inventory;
  private final Map<Integer, ShuffleHandle> handles = new HashMap<>();
  // Whose turn this connection's WANTs take: its application, or itself before it opened a handle.
  private Object payer;
  // The handle used last: pushes come in bursts of one.
  private int lastHandle = -1;
  private @Nullable ShuffleHandle last;
  private int wants;
  private boolean pushedSinceCheck;
  private boolean closed;

  ServerConnection(PeerInfo peer, ServerLink link, CoreParts parts, LiveConnections live) {
    this.link = link;
    this.principal = peer.principal();
    this.parts = parts;
    this.live = live;
    this.payer = payer(peer);
    this.ofReplicas = peer.server() != null;
    this.account = new ConnectionAccount(parts.broker(ofReplicas), this);
    this.ingest = new BlockIngest(link, account, parts.ingest(), ofReplicas);
    this.fetches = new ConnectionFetches(peer, link, parts.fetch());
    this.inventory = new ConnectionInventory(link, parts.inventories());
    parts.stats().connection(1);
    live.add(this, link);
  }

  /** Who is proved to be an application pays as that, and cannot be a newcomer each time. */
  private static Object payer(PeerInfo peer) {
    Principal principal = peer.principal();
    return principal.kind() == Principal.Kind.APPLICATION
        ? ApplicationId.of(
            principal.id().getMostSignificantBits(), principal.id().getLeastSignificantBits())
        : peer.process();
  }

  long seedCredit() {
    return account.credit();
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    requireOwn(shuffle);
    check(others);
    payer = shuffle.application();
    handles.put(
        handle,
        new ShuffleHandle(shuffle, incarnation, parts.registry(), parts.identity(), others));
  }

  /** What another server brings is at its last hop; and no set has a server twice. */
  private void check(List<ReplicaMember> others) {
    if (others.isEmpty()) {
      return;
    }
    if (ofReplicas) {
      throw new SluiceException(ErrorCode.UNEXPECTED_FRAME, "replicas go no further");
    }
    if (!parts.replication().mayBeSentBy(principal)) {
      parts.stats().admissions().accessDenied();
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED, "replicas need TLS where applications prove who they are");
    }
    Set<ServerId> members = new HashSet<>(Set.of(parts.identity().get().id()));
    for (ReplicaMember other : others) {
      if (!members.add(other.id())) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT, "server " + other.id() + " is twice in a set");
      }
    }
  }

  @Override
  public void release(int handle) {
    handles.remove(handle);
    lastHandle = -1;
  }

  private void requireOwn(ShuffleKey shuffle) {
    if (!principal.mayUse(shuffle.application())) {
      parts.stats().admissions().accessDenied();
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED, principal + " has no access to shuffle " + shuffle);
    }
  }

  private ShuffleHandle handle(int handle) {
    ShuffleHandle found = last;
    if (handle != lastHandle || found == null) {
      found = handles.get(handle);
      if (found == null) {
        throw new SluiceException(ErrorCode.UNKNOWN_HANDLE, "handle " + handle + " is not open");
      }
      last = found;
      lastHandle = handle;
    }
    return found;
  }

  @Override
  public void block(
      int handle, long blockNumber, ByteBuffer bytes, int offset, boolean crcMatches) {
    pushedSinceCheck = true;
    ingest.block(handle(handle), blockNumber, bytes, offset, crcMatches);
  }

  @Override
  public void blockBegin(int handle, long blockNumber, ByteBuffer header, int offset) {
    pushedSinceCheck = true;
    ingest.begin(handle(handle), blockNumber, header, offset);
  }

  @Override
  public void blockPart(ByteBuffer bytes, int offset, int length) {
    ingest.part(bytes, offset, length);
  }

  @Override
  public void blockEnd(boolean crcMatches) {
    ingest.end(crcMatches);
  }

  @Override
  public void want(long bytes) {
    if (wants == MAX_WANTS) {
      throw new SluiceException(
          ErrorCode.UNEXPECTED_FRAME, "more than " + MAX_WANTS + " WANTs are unanswered");
    }
    ErrorCode closed = parts.gate().closed();
    if (closed != null) {
      // Credit would be of no use: blocks are refused.
      parts.stats().wantRefused();
      link.refuseWant(closed);
      return;
    }
    wants++;
    parts.broker(ofReplicas).want(this, payer, bytes, account.credit());
  }

  @Override
  public void creditReturned(long bytes) {
    account.giveBack(payer, bytes);
  }

  @Override
  public void fetch(FetchRequest request) {
    fetches.fetch(handle(request.handle()), request);
  }

  @Override
  public void inventory(int stream, int handle, int firstMap) {
    inventory.ask(handle(handle), stream, firstMap);
  }

  @Override
  public void fetchCredit(int stream, long bytes) {
    fetches.credit(stream, bytes);
  }

  @Override
  public void fetchCancel(int stream) {
    fetches.cancel(stream);
    inventory.cancel(stream);
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {
    requireOwn(block.shuffle());
    fetches.damaged(stream, block, parts.registry().find(block.shuffle()));
  }

  @Override
  public void writable() {
    fetches.pump();
    link.flush();
  }

  @Override
  public void readComplete() {
    ingest.answer();
    fetches.pump();
    link.flush();
    parts.flusher().memoryGrew();
  }

  @Override
  public void closed() {
    if (closed) {
      return;
    }
    closed = true;
    live.remove(this);
    ingest.close();
    fetches.close();
    inventory.close();
    account.close();
    parts.stats().connection(-1);
  }

  @Override
  public Executor executor() {
    return link.executor();
  }

  @Override
  public void granted(MemoryReservation credit) {
    if (closed) {
      credit.close();
      return;
    }
    wants--;
    long bytes = credit.bytes();
    account.add(credit);
    link.grant(bytes);
    link.flush();
  }

  @Override
  public void refused(ErrorCode code) {
    if (closed) {
      return;
    }
    wants--;
    parts.stats().wantRefused();
    link.refuseWant(code);
    link.flush();
  }

  @Override
  public void reclaim(boolean urgent) {
    boolean idle = !pushedSinceCheck;
    if (!urgent) {
      pushedSinceCheck = false;
    }
    if (closed) {
      return;
    }
    long spare = account.spare();
    // Who waits is asked too: it may hold a little less than its next block needs.
    if (spare > 0 && (urgent || (idle && wants == 0))) {
      if (urgent && account.sitsOn(spare)) {
        link.close(
            ErrorCode.PEER_NOT_READING,
            "others wait for " + spare + " bytes of credit, asked for long ago and not used");
        return;
      }
      link.reclaim(spare);
      link.flush();
    }
  }
}
