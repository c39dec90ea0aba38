/** Small files that settings name, and what is wrong with files in words. */
@NullMarked
package io.sluice.common.file;

import org.jspecify.annotations.NullMarked;
