package io.sluice.coordinator.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.common.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;

/** Records to JSON and back; names in snake case. Thread-safe. */
final class Json {
  static final String TYPE = "application/json";
  private static final int DEPTH_MAX = 16;

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .build();

  static {
    MAPPER
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build());
  }

  private Json() {}

  static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads a body; what is not as the type says is refused, unknown names included. */
  static <T> T read(byte[] body, Class<T> type) {
    try {
      T value = MAPPER.readValue(body, type);
      if (value != null) {
        return value;
      }
    } catch (UnrecognizedPropertyException e) {
      throw wrong("it has '" + e.getPropertyName() + "'; known are " + known(e), e);
    } catch (JsonMappingException e) {
      throw wrong(path(e) + " is not as the OpenAPI document says", e);
    } catch (JsonProcessingException e) {
      throw wrong(e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw RestException.of(400, ErrorCode.INVALID_ARGUMENT, "the body cannot be read", e);
    }
    throw RestException.of(400, ErrorCode.INVALID_ARGUMENT, "the body is null");
  }

  /** Names what is wrong in words: Jackson's would be those of our classes. */
  private static RestException wrong(String what, JsonProcessingException cause) {
    return RestException.of(400, ErrorCode.INVALID_ARGUMENT, "the body: " + what, cause);
  }

  private static String known(UnrecognizedPropertyException e) {
    return e.getKnownPropertyIds().stream()
        .map(Object::toString)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static String path(JsonMappingException e) {
    String path =
        e.getPath().stream()
            .map(at -> at.getFieldName() == null ? "[" + at.getIndex() + "]" : at.getFieldName())
            .collect(Collectors.joining("."));
    return path.isEmpty() ? "it" : path;
  }
}
