/** How control calls show whose they are; stateless, safe on every thread. */
package io.sluice.proto.auth;
