package io.sluice.transport;

/** What carries the bytes of a connection; the protocol is the same. */
public enum Transport {
  /** Plain sockets. */
  NETTY,
  /** A stream of gRPC, for networks that only admit HTTP/2. */
  GRPC
}
