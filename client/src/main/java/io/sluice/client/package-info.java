/**
 * Engine-neutral push and fetch: no Spark, no Hadoop, no storage.
 *
 * <p>One {@code SluiceClient} per process owns connections, event loops and buffers. A task pushes
 * through a {@link io.sluice.client.MapOutput} and reads through a {@link
 * io.sluice.client.BlockReader}, each used by one thread, which may block in them; nothing on an
 * event loop ever does.
 */
@NullMarked
package io.sluice.client;

import org.jspecify.annotations.NullMarked;
