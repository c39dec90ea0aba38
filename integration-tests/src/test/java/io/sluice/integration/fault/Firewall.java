package io.sluice.integration.fault;

import java.util.ArrayList;
import java.util.List;

/** Rules of the machine's packet filter (iptables) about one TCP port of the loopback interface. */
public final class Firewall implements Fault {
  private final List<List<String>> rules;

  private Firewall(List<List<String>> rules) {
    this.rules = rules;
  }

  /** Whether rules can be made here, which needs iptables and the right to use it. */
  public static boolean usable() throws InterruptedException {
    return Command.succeeds("iptables", "-w", "-L", "INPUT", "-n");
  }

  /** Packets from and to the port vanish: nobody is told anything. */
  public static Firewall dropping(int port) {
    return new Firewall(
        List.of(rule("--dport", port, "-j", "DROP"), rule("--sport", port, "-j", "DROP")));
  }

  /** Whoever sends to the port gets a reset: connections break, new ones are refused. */
  public static Firewall resetting(int port) {
    return new Firewall(
        List.of(rule("--dport", port, "-j", "REJECT", "--reject-with", "tcp-reset")));
  }

  private static List<String> rule(String side, int port, String... target) {
    List<String> rule =
        new ArrayList<>(List.of("INPUT", "-i", "lo", "-p", "tcp", side, Integer.toString(port)));
    rule.addAll(List.of(target));
    return rule;
  }

  @Override
  public void begin() throws Exception {
    change("-I");
  }

  @Override
  public void end() throws Exception {
    change("-D");
  }

  private void change(String how) throws Exception {
    for (List<String> rule : rules) {
      List<String> command = new ArrayList<>(List.of("iptables", "-w", how));
      command.addAll(rule);
      Command.run(command.toArray(String[]::new));
    }
  }
}
