package io.sluice.server.segment;

import java.util.List;

/**
 * What a store found on its disk when it was opened.
 *
 * @param units that can be read, replayed ones included
 * @param extents in these units
 * @param replayedUnits found behind the catalogued end of their segment
 * @param holes between these units and catalogued ones, skipped: each may have been some
 * @param lostUnits catalogued units whose bytes are gone
 * @param cutBytes behind the last unit of their segment, cut off
 * @param unlinkedSegments removed earlier, or without any unit
 * @param unreadFiles that the disk does not give: whether they have units beyond those that are
 *     known is not known
 * @param keptTails segments that keep what lies behind their last unit, since it was not looked at
 *     to the end or could not be cut off
 * @param unknownFiles in the segments' folder, left alone
 */
public record RecoveryReport(
    int units,
    int extents,
    int replayedUnits,
    int holes,
    int lostUnits,
    long cutBytes,
    int unlinkedSegments,
    int unreadFiles,
    List<String> keptTails,
    List<String> unknownFiles) {}
