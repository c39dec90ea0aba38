package io.sluice.client.fetch;

import io.sluice.client.connection.FetchSpec;
import java.util.IntSummaryStatistics;
import java.util.stream.IntStream;

/** What of a request has not come yet. On the task's thread. */
final class StillWanted {
  private final ReadScope scope;
  private final Completeness completeness;

  StillWanted(ReadScope scope, Completeness completeness) {
    this.scope = scope;
    this.completeness = completeness;
  }

  /** The positions of a request that are still incomplete. */
  IntStream of(ServerFetch fetch) {
    return fetch
        .run()
        .positions()
        .filter(at -> completeness.isIncomplete(scope.firstPartition() + at));
  }

  boolean isAnyOf(ServerFetch fetch) {
    return of(fetch).findAny().isPresent();
  }

  /**
   * Everything at first. Afterwards the maps between the first and the last of which something is
   * missing: whoever stored them together sends them about in the order in which they ended.
   *
   * @param lacking what {@link #of} says of the request, one position at least
   */
  FetchSpec spec(ServerFetch fetch, int[] lacking) {
    int firstMap = scope.firstMap();
    int endMap = scope.endMap();
    if (fetch.isContinued()) {
      IntSummaryStatistics missing = completeness.missingMaps(lacking);
      firstMap = missing.getMin();
      endMap = missing.getMax() + 1;
    }
    return new FetchSpec(
        scope.shuffle(),
        fetch.server().incarnation(),
        scope.firstPartition() + lacking[0],
        scope.firstPartition() + lacking[lacking.length - 1] + 1,
        firstMap,
        endMap);
  }
}
