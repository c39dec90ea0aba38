package io.sluice.common.id;

/**
 * One shuffle of one application. {@code generation} grows each time a removed shuffle id is
 * written again, so that late packets of the removed one never mix with the new one.
 */
public final class ShuffleKey {
  private final ApplicationId application;
  private final int shuffleId;
  private final int generation;

  public ShuffleKey(ApplicationId application, int shuffleId, int generation) {
    this.application = application;
    this.shuffleId = shuffleId;
    this.generation = generation;
  }

  public ApplicationId application() {
    return application;
  }

  public int shuffleId() {
    return shuffleId;
  }

  public int generation() {
    return generation;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof ShuffleKey)) {
      return false;
    }
    ShuffleKey that = (ShuffleKey) other;
    return shuffleId == that.shuffleId
        && generation == that.generation
        && application.equals(that.application);
  }

  @Override
  public int hashCode() {
    return (application.hashCode() * 31 + shuffleId) * 31 + generation;
  }

  @Override
  public String toString() {
    return application + "/" + shuffleId + (generation == 0 ? "" : "#" + generation);
  }
}
