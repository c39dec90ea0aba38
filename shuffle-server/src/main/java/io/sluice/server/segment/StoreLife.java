package io.sluice.server.segment;

/**
 * The life of a server that opens a store.
 *
 * @param incarnation already synced on the disk
 * @param afterSeal whether the life before it was sealed: then whatever is found survives power
 *     loss, but for files of lives that were killed before and which that one could not open
 */
public record StoreLife(long incarnation, boolean afterSeal) {
  /** One before which a process may have been killed, whose files are in memory still. */
  public static StoreLife of(long incarnation) {
    return new StoreLife(incarnation, false);
  }
}
