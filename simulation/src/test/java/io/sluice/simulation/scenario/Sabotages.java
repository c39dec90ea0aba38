package io.sluice.simulation.scenario;

import io.sluice.client.BlockReader;
import io.sluice.client.TaskSignal;
import io.sluice.client.placement.PlacementSource;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.ServerCore;
import io.sluice.server.replication.PeerConnector;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerSessionFactory;
import java.util.function.UnaryOperator;

/** Ways to break the system. */
final class Sabotages {
  private Sabotages() {}

  private static Sabotage ofReaders(UnaryOperator<BlockReader> change) {
    return new Sabotage() {
      @Override
      public BlockReader reader(BlockReader reader) {
        return change.apply(reader);
      }
    };
  }

  private static Sabotage ofServers(UnaryOperator<ServerSessionFactory> change) {
    return new Sabotage() {
      @Override
      public ServerSessionFactory server(ServerSessionFactory core) {
        return change.apply(core);
      }
    };
  }

  private static Sabotage ofSessions(UnaryOperator<ClientSession> change) {
    return new Sabotage() {
      @Override
      public ClientSession session(ClientSession session) {
        return change.apply(session);
      }
    };
  }

  private static Sabotage ofDrivers(UnaryOperator<PlacementSource> change) {
    return new Sabotage() {
      @Override
      public PlacementSource driver(PlacementSource driver) {
        return change.apply(driver);
      }
    };
  }

  // ------------------------------------------------------------------------------------ readers

  static Sabotage blocksDeliveredTwice() {
    return ofReaders(reader -> new ChangedReader(reader, ChangedReader.Change.TWICE));
  }

  static Sabotage blocksNotDelivered() {
    return ofReaders(reader -> new ChangedReader(reader, ChangedReader.Change.NEVER));
  }

  static Sabotage bytesChanged() {
    return ofReaders(reader -> new ChangedReader(reader, ChangedReader.Change.OTHER_BYTES));
  }

  /** Each reader fails before it has read all, for a reason that might be the network's. */
  static Sabotage readersThatNeverFinish() {
    return ofReaders(reader -> new ChangedReader(reader, ChangedReader.Change.FAILS));
  }

  /** Each reader throws what nobody expects. */
  static Sabotage readersThatThrow() {
    return ofReaders(reader -> new ChangedReader(reader, ChangedReader.Change.THROWS));
  }

  // ------------------------------------------------------------------------------------ servers

  static Sabotage acknowledgedAndNotStored() {
    return ofServers(core -> ChangedServer.over(core, true));
  }

  static Sabotage connectionsNeverLetGo() {
    return ofServers(core -> ChangedServer.over(core, false));
  }

  /** Each connection takes memory that nobody has any more. */
  static Sabotage memoryThatLeaks() {
    return ofServers(
        core ->
            (peer, link) -> {
              ((ServerCore) core).arena().budget().tryReserve(4096);
              return core.accept(peer, link);
            });
  }

  static Sabotage replicasNotStored() {
    return new Sabotage() {
      @Override
      public PeerConnector peers(PeerConnector peers) {
        return new LyingPeers(peers);
      }
    };
  }

  static Sabotage sealsBeforeMemoryIsSaved() {
    return new Sabotage() {
      @Override
      public boolean sealsFirst() {
        return true;
      }

      @Override
      public int leastStops() {
        return 4;
      }
    };
  }

  /**
   * While somebody reads, servers that come back with all they had do not find one of its extents.
   */
  static Sabotage extentsForgotten() {
    return new Sabotage() {
      private boolean reading;

      @Override
      public BlockReader reader(BlockReader reader) {
        reading = true;
        return reader;
      }

      @Override
      public SegmentStore intactStore(SegmentStore store) {
        return reading ? new ForgetfulStore(store) : store;
      }

      @Override
      public int leastStops() {
        return 12;
      }
    };
  }

  // ------------------------------------------------------------------------------- coordinators

  /** Who was frozen while another took over goes on as if nothing had happened. */
  static Sabotage leadersThatAreNotFenced() {
    return new Sabotage() {
      @Override
      public boolean flattersLeaders() {
        return true;
      }
    };
  }

  // ----------------------------------------------------------------------------------- sessions

  static Sabotage creditOutOfNothing() {
    return ofSessions(
        session ->
            new ForwardingSession(session) {
              @Override
              public void acked(long first, int count, long refund) {
                super.acked(first, count, refund + (1 << 20));
              }
            });
  }

  static Sabotage acknowledgementsThatNeverCome() {
    return ofSessions(
        session ->
            new ForwardingSession(session) {
              @Override
              public void acked(long first, int count, long refund) {}
            });
  }

  /** Refused blocks count as stored. */
  static Sabotage refusalsForgotten() {
    return ofSessions(
        session ->
            new ForwardingSession(session) {
              @Override
              public void nacked(long first, int count, long refund, ErrorCode code) {
                if (code == ErrorCode.PARTITION_FULL) {
                  super.acked(first, count, refund);
                } else {
                  super.nacked(first, count, refund, code);
                }
              }
            });
  }

  static Sabotage signalsLost() {
    return new Sabotage() {
      @Override
      public TaskSignal.Factory signals(TaskSignal.Factory signals) {
        return () -> new LossySignal(signals.create());
      }
    };
  }

  /** Wakes its task so many times and no more. */
  private static final class LossySignal implements TaskSignal {
    private static final int MOST = 3;

    private final TaskSignal signal;
    private int given;

    LossySignal(TaskSignal signal) {
      this.signal = signal;
    }

    @Override
    public void await() throws InterruptedException {
      signal.await();
    }

    @Override
    public void signal() {
      if (++given <= MOST) {
        signal.signal();
      }
    }
  }

  // ------------------------------------------------------------------------------------ drivers

  /** What only the other process can find is missing to a reader, and at the end. */
  static Sabotage driverWithTwoHistories() {
    return ofDrivers(ForkedDriver::new);
  }

  static SluiceException failure() {
    return new SluiceException(ErrorCode.CONNECTION_LOST, "sabotage");
  }
}
