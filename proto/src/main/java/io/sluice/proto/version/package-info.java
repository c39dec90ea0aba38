/** Which versions of the control plane two processes have in common; immutable. */
package io.sluice.proto.version;
