package io.sluice.benchmarks.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** async-profiler's native agent, loaded into JVMs that already run. */
public final class Profiler {
  /** What is sampled. */
  public enum Event {
    /** Threads that run, by a timer of their CPU time. */
    itimer,
    /** All threads, running or waiting. */
    wall
  }

  private static final String RESOURCE = "/linux-x64/libasyncProfiler.so";
  private static final String INTERVAL = "1ms";

  private final Path library;

  private Profiler(Path library) {
    this.library = library;
  }

  /** Unpacks the agent into a directory, from which processes load it. */
  public static Profiler unpackInto(Path directory) throws IOException {
    Path library = directory.resolve("libasyncProfiler.so");
    try (InputStream resource = Profiler.class.getResourceAsStream(RESOURCE)) {
      if (resource == null) {
        throw new FileNotFoundException("no " + RESOURCE + " on the class path");
      }
      Files.copy(resource, library, StandardCopyOption.REPLACE_EXISTING);
    }
    return new Profiler(library);
  }

  /** Begins to sample a JVM. */
  public void start(long pid, Event event) throws IOException {
    load(pid, "start,event=" + event + ",interval=" + INTERVAL);
  }

  /** Ends it, and has the JVM write collapsed stacks, threads apart, to a file. */
  public void stop(long pid, Path file) throws IOException {
    load(pid, "stop,collapsed,threads,file=" + file.toAbsolutePath());
  }

  private void load(long pid, String options) throws IOException {
    try {
      VirtualMachine jvm = VirtualMachine.attach(Long.toString(pid));
      try {
        jvm.loadAgentPath(library.toString(), options);
      } finally {
        jvm.detach();
      }
    } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
      throw new IOException("cannot profile process " + pid + ": " + e.getMessage(), e);
    }
  }
}
