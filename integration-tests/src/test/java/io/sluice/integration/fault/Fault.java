package io.sluice.integration.fault;

import java.util.List;

/** Something that goes wrong, and is put right again. */
public interface Fault {
  void begin() throws Exception;

  void end() throws Exception;

  /** A process that is frozen (SIGSTOP), and thawed (SIGCONT). */
  static Fault freezing(long pid) {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        Command.run("kill", "-STOP", Long.toString(pid));
      }

      @Override
      public void end() throws Exception {
        Command.run("kill", "-CONT", Long.toString(pid));
      }
    };
  }

  /**
   * A process killed with SIGKILL.
   *
   * @param again starts another in its place
   */
  static Fault killing(long pid, Action again) {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        Command.run("kill", "-KILL", Long.toString(pid));
      }

      @Override
      public void end() throws Exception {
        again.run();
      }
    };
  }

  /**
   * A process whose files may be so long and no longer (RLIMIT_FSIZE): the kernel takes of a write
   * what fits, and of the next one nothing.
   */
  static Fault limitingFiles(long pid, long bytes) {
    return new Fault() {
      private String before = "unlimited";

      @Override
      public void begin() throws Exception {
        before =
            Command.output(
                "prlimit", "--pid", "" + pid, "--fsize", "--raw", "--noheadings", "--output=SOFT");
        limit(Long.toString(bytes));
      }

      @Override
      public void end() throws Exception {
        limit(before);
      }

      private void limit(String soft) throws Exception {
        Command.run("prlimit", "--pid", "" + pid, "--fsize=" + soft + ":");
      }
    };
  }

  /** One after the other. */
  static Fault all(List<Fault> faults) {
    return new Fault() {
      @Override
      public void begin() throws Exception {
        for (Fault fault : faults) {
          fault.begin();
        }
      }

      @Override
      public void end() throws Exception {
        for (Fault fault : faults) {
          fault.end();
        }
      }
    };
  }

  /** What may fail. */
  interface Action {
    void run() throws Exception;
  }
}
