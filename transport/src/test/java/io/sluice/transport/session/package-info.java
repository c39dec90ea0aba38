@NullMarked
package io.sluice.transport.session;

import org.jspecify.annotations.NullMarked;
