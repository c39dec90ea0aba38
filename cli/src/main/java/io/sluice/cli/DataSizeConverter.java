package io.sluice.cli;

import io.sluice.common.config.DataSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes as the configuration does. */
public final class DataSizeConverter implements ITypeConverter<DataSize> {
  @Override
  public DataSize convert(String text) {
    try {
      return DataSize.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + text + "' is " + e.getMessage());
    }
  }
}
