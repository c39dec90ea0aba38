package io.sluice.simulation.cluster;

import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.memory.TrackedAllocator;
import io.sluice.simulation.network.Host;
import io.sluice.simulation.network.SimNetwork;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.SimProcess;

/** What all simulated processes share. */
public final class World {
  private final Dice dice;
  private final EventQueue events;
  private final SimNetwork network;
  private final DirectMemory memory;

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

  /** Notes something for the trace. */
  void note(Object who, String what) {
    events.trace().note(events.nanoTime(), who, what);
  }
}
