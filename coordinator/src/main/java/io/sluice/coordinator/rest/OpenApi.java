package io.sluice.coordinator.rest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The description of the interface that goes with this version. */
final class OpenApi {
  private OpenApi() {}

  static byte[] document() {
    return resource("openapi.yaml");
  }

  /** A file among this package's resources, which are there or the build is broken. */
  static byte[] resource(String name) {
    try (InputStream in = OpenApi.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from this build");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
