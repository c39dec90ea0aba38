package io.sluice.cli;

import io.sluice.common.config.Assignment;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code KEY=VALUE}. */
public final class AssignmentConverter implements ITypeConverter<Assignment> {
  @Override
  public Assignment convert(String text) {
    try {
      return Assignment.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
