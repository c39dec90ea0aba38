/** What servers have whole on their disks: asked when one is back without its memory. */
@org.jspecify.annotations.NullMarked
package io.sluice.client.inventory;
