package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.mapreduce.Counters;

/** What a job has written, in the order of its partitions. */
final class OutputDigest {
  private OutputDigest() {}

  /**
   * A digest of all parts, as {@code digest=…}; of sorted rows after checking that they are sorted
   * across all parts, and that none is missing, changed, or there twice.
   */
  static String of(FileSystem files, Path output, JobRequest request, Counters counters)
      throws IOException {
    FileStatus[] parts = files.listStatus(output, path -> path.getName().startsWith("part-"));
    Arrays.sort(parts);
    MessageDigest digest = sha256();
    if (request.workload().equals("sort")) {
      long expected = counters.findCounter(RowSort.GROUP, RowSort.CHECKSUM).getValue();
      checkSorted(files.getConf(), parts, digest, request.rows(), expected);
    } else {
      byte[] buffer = new byte[1 << 16];
      for (FileStatus part : parts) {
        try (InputStream in = files.open(part.getPath())) {
          for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            digest.update(buffer, 0, read);
          }
        }
      }
    }
    return "parts=" + parts.length + " digest=" + new BigInteger(1, digest.digest()).toString(16);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void checkSorted(
      Configuration conf, FileStatus[] parts, MessageDigest digest, long rows, long expected)
      throws IOException {
    BytesWritable key = new BytesWritable();
    BytesWritable value = new BytesWritable();
    byte[] before = new byte[RowSort.KEY_BYTES];
    long count = 0;
    long checksum = 0;
    for (FileStatus part : parts) {
      try (SequenceFile.Reader in =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(part.getPath()))) {
        while (in.next(key, value)) {
          byte[] current = key.getBytes();
          if (Arrays.compareUnsigned(before, 0, before.length, current, 0, RowSort.KEY_BYTES) > 0) {
            throw new IOException("row " + count + " in " + part.getPath() + " is out of order");
          }
          System.arraycopy(current, 0, before, 0, before.length);
          checksum += RowSort.checksum(current, value.getBytes());
          digest.update(current, 0, RowSort.KEY_BYTES);
          digest.update(value.getBytes(), 0, RowSort.VALUE_BYTES);
          count++;
        }
      }
    }
    if (count != rows || checksum != expected) {
      throw new IOException(
          count + " of " + rows + " rows with checksum " + checksum + " instead of " + expected);
    }
  }
}
