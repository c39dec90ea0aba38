package org.apache.spark.shuffle.sluice.everyline;

import java.util.Arrays;

/**
 * Stands in for a columnar batch: a column of numbers and one of bytes. Its maker may use it again,
 * and spoils it then.
 */
final class Batch {
  private long[] numbers = new long[0];
  private byte[] bytes = new byte[0];

  /** What one of so many rows holds, with some bytes that depend on the first number. */
  void fill(long first, int rows, int byteCount) {
    numbers = new long[rows];
    for (int i = 0; i < rows; i++) {
      numbers[i] = first + i;
    }
    bytes = new byte[byteCount];
    for (int i = 0; i < byteCount; i++) {
      bytes[i] = (byte) (first * 31 + i % 251);
    }
  }

  void fill(long[] newNumbers, byte[] newBytes) {
    numbers = newNumbers;
    bytes = newBytes;
  }

  /** What memory looks like that was given to somebody else. */
  void spoil() {
    Arrays.fill(numbers, -1);
    Arrays.fill(bytes, (byte) -1);
  }

  long[] numbers() {
    return numbers;
  }

  byte[] bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return numbers.length == 0 && bytes.length == 0;
  }

  @Override
  public String toString() {
    return numbers.length
        + " from "
        + (numbers.length == 0 ? "none" : numbers[0])
        + " hash "
        + Arrays.hashCode(numbers)
        + ", "
        + bytes.length
        + " bytes hash "
        + Arrays.hashCode(bytes);
  }
}
