package io.sluice.server.quota;

/**
 * Why a block is refused: whose quota it is, how much was held when it was asked and what the limit
 * is, in bytes.
 *
 * @param key of the configuration that sets the limit, or what it is if it follows from others
 * @param holder in words, such as {@code user ada}
 */
public record QuotaRefusal(String key, String holder, long held, long limit) {
  static final String USER = "server.quota.user";
  static final String APPLICATION = "server.quota.application";
  static final String PARTITION = "server.quota.partition";

  static final String TABLES = "what one application may take of the heap for tables (-Xmx)";

  /** Whether it is the same quota's, whatever was held. */
  public boolean sameAs(QuotaRefusal other) {
    return key.equals(other.key) && holder.equals(other.holder);
  }

  @Override
  public String toString() {
    return holder
        + " may store nothing more here: it holds "
        + held
        + " bytes, and "
        + key
        + " is "
        + limit;
  }
}
