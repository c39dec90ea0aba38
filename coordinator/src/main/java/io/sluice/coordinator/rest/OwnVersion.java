package io.sluice.coordinator.rest;

/**
 * What a coordinator says of itself.
 *
 * @param version of the software, "development" outside of a distribution
 * @param api of this interface
 * @param atMillis its wall clock, in milliseconds since 1970
 */
record OwnVersion(String version, String api, long atMillis) {
  static OwnVersion at(long wallMillis) {
    String version = OwnVersion.class.getPackage().getImplementationVersion();
    return new OwnVersion(version == null ? "development" : version, "v1", wallMillis);
  }
}
