package io.sluice.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.client.BlockReader;
import io.sluice.client.placement.PlacementSource;
import io.sluice.common.error.ErrorCode;
import io.sluice.server.replication.PeerConnector;
import io.sluice.simulation.invariant.ErrorLogWatch;
import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.scenario.ShuffleSimulation.Equipment;
import io.sluice.simulation.task.TaskThreads;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerSessionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The simulation itself can fail: each kind of breakage is noticed within a few seeds. */
class SabotageTest {
  private static final int SEEDS = 100;

  private final TaskThreads threads = new TaskThreads();
  private final ErrorLogWatch log = new ErrorLogWatch();
  private final Equipment equipment = new Equipment(threads, new DirectMemory(), log);

  @AfterEach
  void endThreads() {
    threads.close();
    log.close();
  }

  @Test
  void noticesABlockDeliveredTwice() {
    Sabotage twice =
        new Sabotage() {
          @Override
          public BlockReader reader(BlockReader reader) {
            return new ChangedReader(reader, true);
          }
        };
    // The second delivery may come in the middle of a record that spans blocks.
    assertThat(caught(twice)).isIn(Invariant.EXACTLY_ONCE, Invariant.NO_WRONG_BYTES);
  }

  @Test
  void noticesABlockThatIsNotDelivered() {
    Sabotage never =
        new Sabotage() {
          @Override
          public BlockReader reader(BlockReader reader) {
            return new ChangedReader(reader, false);
          }
        };
    assertThat(caught(never))
        .isIn(Invariant.ACKNOWLEDGED_BLOCKS_ARE_READABLE, Invariant.NO_WRONG_BYTES);
  }

  @Test
  void noticesAServerThatAcknowledgesWhatItDoesNotStore() {
    Sabotage lying =
        new Sabotage() {
          @Override
          public ServerSessionFactory server(ServerSessionFactory core) {
            return ChangedServer.over(core, true);
          }
        };
    assertThat(caught(lying)).isEqualTo(Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING);
  }

  @Test
  void noticesReplicasThatWereAcknowledgedAndNeverStored() {
    Sabotage lying =
        new Sabotage() {
          @Override
          public PeerConnector peers(PeerConnector peers) {
            return new LyingPeers(peers);
          }
        };
    // By whichever reader comes first: of a server that lost nothing itself, or of one that did.
    assertThat(caught(lying))
        .isIn(Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING, Invariant.AN_INTACT_LIFE_HAS_EVERYTHING);
  }

  @Test
  void noticesASealWrittenBeforeMemoryHasReachedTheDisks() {
    Sabotage hasty =
        new Sabotage() {
          @Override
          public boolean sealsFirst() {
            return true;
          }

          @Override
          public int leastStops() {
            return 4;
          }
        };
    assertThat(caught(hasty)).isEqualTo(Invariant.AN_INTACT_LIFE_HAS_EVERYTHING);
  }

  @Test
  void noticesAConnectionThatIsNeverLetGo() {
    Sabotage clinging =
        new Sabotage() {
          @Override
          public ServerSessionFactory server(ServerSessionFactory core) {
            return ChangedServer.over(core, false);
          }
        };
    assertThat(caught(clinging)).isEqualTo(Invariant.NOTHING_LEFT_AFTER_EXPIRY);
  }

  @Test
  void noticesCreditOutOfNothing() {
    Sabotage generous =
        new Sabotage() {
          @Override
          public ClientSession session(ClientSession session) {
            return new ForwardingSession(session) {
              @Override
              public void acked(long first, int count, long refund) {
                super.acked(first, count, refund + (1 << 20));
              }
            };
          }
        };
    assertThat(caught(generous)).isEqualTo(Invariant.CREDIT_CONSERVED);
  }

  @Test
  void noticesAcknowledgementsThatNeverCome() {
    Sabotage deaf =
        new Sabotage() {
          @Override
          public ClientSession session(ClientSession session) {
            return new ForwardingSession(session) {
              @Override
              public void acked(long first, int count, long refund) {}
            };
          }
        };
    // The client gives up after its deadline, again and again.
    assertThat(caught(deaf))
        .isIn(
            Invariant.NO_UNEXPECTED_FAILURE,
            Invariant.EVENTUALLY_QUIET,
            Invariant.NO_STRANDED_WAITER);
  }

  @Test
  void noticesADriverThatTellsEachProcessAnotherEpoch() {
    Sabotage forked =
        new Sabotage() {
          @Override
          public PlacementSource driver(PlacementSource driver) {
            return new ForkedDriver(driver);
          }
        };
    // What only the other process can find is missing to a reader, and at the end.
    assertThat(caught(forked))
        .isIn(Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING, Invariant.ACKNOWLEDGED_BLOCKS_ARE_READABLE);
  }

  @Test
  void noticesBlocksThatWereRefusedAndGoNowhere() {
    Sabotage forgetful =
        new Sabotage() {
          @Override
          public ClientSession session(ClientSession session) {
            return new ForwardingSession(session) {
              @Override
              public void nacked(long first, int count, long refund, ErrorCode code) {
                if (code == ErrorCode.PARTITION_FULL) {
                  super.acked(first, count, refund);
                } else {
                  super.nacked(first, count, refund, code);
                }
              }
            };
          }
        };
    assertThat(caught(forgetful)).isEqualTo(Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING);
  }

  private Invariant caught(Sabotage sabotage) {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new ShuffleSimulation(seed, sabotage, equipment).run();
      } catch (Violation violation) {
        return violation.invariant();
      }
    }
    return fail("nothing was noticed in %d seeds", SEEDS);
  }
}
