package io.sluice.cli;

import io.sluice.common.id.IdText;
import java.util.UUID;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads ids of servers and applications. */
final class IdConverter implements ITypeConverter<UUID> {
  @Override
  public UUID convert(String text) {
    try {
      return IdText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + text + "' is " + e.getMessage());
    }
  }
}
