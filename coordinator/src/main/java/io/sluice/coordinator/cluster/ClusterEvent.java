package io.sluice.coordinator.cluster;

/**
 * Something that happened, for people.
 *
 * @param number from 1 on, in the order in which things happened in this term
 * @param wallMillis milliseconds since 1970 UTC
 * @param subject id of the server or application, or the name of a decision
 */
public record ClusterEvent(long number, long wallMillis, Kind kind, String subject, String text) {
  /** What it is about. */
  public enum Kind {
    SERVER,
    APPLICATION,
    OPERATOR
  }
}
