package io.sluice.integration.quorum;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.common.config.HostPort;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.ServerServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes a coordinator one of control version 1: stands before it and takes out of every message,
 * either way, what version 2 has added. Neither side can tell it from a coordinator that never knew
 * those fields, nor from peers that do not.
 */
final class OlderCoordinator implements AutoCloseable {
  private static final Set<String> ADDED =
      Set.of(
          "sluice.control.v1.ServerHello.oldest_version",
          "sluice.control.v1.ServerHello.newest_version",
          "sluice.control.v1.ServerWelcome.version",
          "sluice.control.v1.RegisterApplicationRequest.oldest_version",
          "sluice.control.v1.RegisterApplicationRequest.newest_version",
          "sluice.control.v1.RegisterApplicationResponse.version",
          "sluice.control.v1.RegisterApplicationRequest.placement",
          "sluice.control.v1.ServerHello.zone",
          "sluice.control.v1.ServerHello.rack",
          "sluice.control.v1.ServerHello.tags",
          "sluice.control.v1.ServerEvent.zone",
          "sluice.control.v1.ServerEvent.rack",
          "sluice.control.v1.ServerEvent.unsuitable",
          "sluice.control.v1.ServerInfo.zone",
          "sluice.control.v1.ServerInfo.rack",
          "sluice.control.v1.ServerInfo.tags",
          "sluice.control.v1.WatchServersRequest.own",
          "sluice.control.v1.WatchServersRequest.servers",
          "sluice.control.v1.ServerEvents.partial",
          "sluice.control.v1.CreateShuffleResponse.term",
          "sluice.control.v1.ServerDirective.leader");

  private final ManagedChannel behind;
  private final Server server;
  private final AtomicLong forgotten = new AtomicLong();

  private OlderCoordinator(HostPort address, HostPort coordinator) throws IOException {
    behind =
        NettyChannelBuilder.forAddress(coordinator.host(), coordinator.port())
            .usePlaintext()
            .directExecutor()
            .build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
            .directExecutor()
            .fallbackHandlerRegistry(new Methods())
            .build()
            .start();
  }

  /**
   * @param address where it listens
   * @param coordinator where the one behind it does
   */
  static OlderCoordinator at(HostPort address, HostPort coordinator) throws IOException {
    return new OlderCoordinator(address, coordinator);
  }

  /** How many fields it took out so far. */
  long forgotten() {
    return forgotten.get();
  }

  private Message older(Message message) {
    Message.Builder builder = message.toBuilder();
    builder.setUnknownFields(UnknownFieldSet.getDefaultInstance());
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              if (ADDED.contains(field.getFullName())) {
                forgotten.incrementAndGet();
                builder.clearField(field);
              } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                builder.setField(
                    field,
                    field.isRepeated()
                        ? ((List<?>) value).stream().map(each -> older((Message) each)).toList()
                        : older((Message) value));
              }
            });
    return builder.build();
  }

  @Override
  public void close() {
    try {
      server.shutdownNow().awaitTermination();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    behind.shutdownNow();
  }

  /** All methods there are, each passed on. */
  private final class Methods extends HandlerRegistry {
    private final Map<String, ServerMethodDefinition<Message, Message>> methods = new HashMap<>();

    Methods() {
      for (var service :
          List.of(
              ApplicationServiceGrpc.getServiceDescriptor(),
              ServerServiceGrpc.getServiceDescriptor(),
              ClusterServiceGrpc.getServiceDescriptor())) {
        for (MethodDescriptor<?, ?> method : service.getMethods()) {
          // All messages of these services are Messages, which is all that is done with them here.
          @SuppressWarnings("unchecked")
          MethodDescriptor<Message, Message> known = (MethodDescriptor<Message, Message>) method;
          methods.put(
              method.getFullMethodName(), ServerMethodDefinition.create(known, new PassOn(known)));
        }
      }
    }

    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
        String name, @Nullable String authority) {
      return methods.get(name);
    }
  }

  private final class PassOn implements ServerCallHandler<Message, Message> {
    private static final int ALL = Integer.MAX_VALUE;

    private final MethodDescriptor<Message, Message> method;

    PassOn(MethodDescriptor<Message, Message> method) {
      this.method = method;
    }

    @Override
    public ServerCall.Listener<Message> startCall(
        ServerCall<Message, Message> caller, Metadata headers) {
      ClientCall<Message, Message> called = behind.newCall(method, CallOptions.DEFAULT);
      called.start(
          new ClientCall.Listener<Message>() {
            @Override
            public void onHeaders(Metadata answered) {
              caller.sendHeaders(answered);
            }

            @Override
            public void onMessage(Message message) {
              caller.sendMessage(older(message));
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              caller.close(status, trailers);
            }
          },
          headers);
      called.request(ALL);
      caller.request(ALL);
      return new ServerCall.Listener<>() {
        @Override
        public void onMessage(Message message) {
          called.sendMessage(older(message));
        }

        @Override
        public void onHalfClose() {
          called.halfClose();
        }

        @Override
        public void onCancel() {
          called.cancel("the caller has gone", null);
        }
      };
    }
  }
}
