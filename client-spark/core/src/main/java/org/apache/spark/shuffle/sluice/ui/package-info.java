/**
 * The Sluice tab of a driver's UI (docs/spark-ui.md): what Spark's events and map statuses say of
 * each shuffle, and pages that show it. Events come on Spark's listener thread, registrations and
 * removals on several, requests on the UI's: {@link
 * org.apache.spark.shuffle.sluice.ui.ShuffleLedger} is where they meet. Nothing here may fail a
 * job.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.ui;

import org.jspecify.annotations.NullMarked;
