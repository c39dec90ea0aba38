/** Small files that settings name, locks on directories, and what is wrong with files in words. */
@NullMarked
package io.sluice.common.file;

import org.jspecify.annotations.NullMarked;
