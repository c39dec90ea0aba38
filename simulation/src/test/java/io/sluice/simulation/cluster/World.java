package io.sluice.simulation.cluster;

import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.memory.TrackedAllocator;
import io.sluice.simulation.network.Host;
import io.sluice.simulation.network.SimNetwork;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.SimProcess;
import java.util.EnumMap;
import java.util.Map;

/** What all simulated processes share. */
public final class World {
  private final Dice dice;
  private final EventQueue events;
  private final SimNetwork network;
  private final DirectMemory memory;
  private final Map<ProcessFault, Integer> faults = new EnumMap<>(ProcessFault.class);

  public World(Dice dice, EventQueue events, SimNetwork network, DirectMemory memory) {
    this.dice = dice;
    this.events = events;
    this.network = network;
    this.memory = memory;
  }

  public EventQueue events() {
    return events;
  }

  public SimNetwork network() {
    return network;
  }

  Dice forkDice() {
    return dice.fork();
  }

  /** A new process. */
  SimProcess process(String name) {
    return new SimProcess(name, events, dice.fork());
  }

  /** What a new process has of the network; its buffers are freed when it dies. */
  Host host(SimProcess process) {
    TrackedAllocator allocator = new TrackedAllocator(memory);
    process.onDeath(allocator::freeAll);
    return new Host(process, allocator);
  }

  /** Stops a process for a while; everything that comes for it waits. */
  public void freeze(SimProcess process, long nanos) {
    count(ProcessFault.FREEZE);
    process.freeze(nanos);
  }

  /** Has the clocks of a process jump forward. */
  public void jump(SimProcess process, long nanos) {
    count(ProcessFault.CLOCK_JUMP);
    process.jump(nanos);
  }

  /** Sets the wall clock of a process. */
  public void setWallClock(SimProcess process, long aheadMillis) {
    count(ProcessFault.WALL_CLOCK_SET);
    process.setWallClock(aheadMillis);
  }

  void count(ProcessFault fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  /** How often processes were struck by each fault. */
  public Map<ProcessFault, Integer> faults() {
    return faults;
  }

  /** Notes something for the trace. */
  public void note(Object who, String what) {
    events.trace().note(events.nanoTime(), who, what);
  }
}
