package io.sluice.mapreduce.job;

import io.sluice.client.FixedPlacement;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.EnumSet;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.jspecify.annotations.Nullable;

/**
 * Versions as files in the job's staging directory, which all its tasks can reach, nobody else can
 * write to, and the application master deletes when the job ends. A version is written under
 * another name and then renamed to its own, which fails if there is one: HDFS does both in one
 * step, so one of several writers wins and readers see whole files only.
 *
 * <p>Local file systems look first and rename then, so within one process one thread renames at a
 * time; a {@code LocalJobRunner} has no tasks in others.
 */
final class StagedPlacementLog implements PlacementLog {
  private static final String PREFIX = "placement-";
  private static final FsPermission OWNER = new FsPermission((short) 0700);

  private final FileContext files;
  private final Path folder;

  private StagedPlacementLog(FileContext files, Path folder) {
    this.files = files;
    this.folder = folder;
  }

  /** The log of the job that a configuration is of. */
  static StagedPlacementLog of(Configuration job) throws IOException {
    String staging = job.get(MRJobConfig.MAPREDUCE_JOB_DIR);
    if (staging == null) {
      throw new IOException(
          MRJobConfig.MAPREDUCE_JOB_DIR + " is not set: this is no task of a job");
    }
    return in(new Path(staging, "sluice"), job);
  }

  static StagedPlacementLog in(Path folder, Configuration job) throws IOException {
    FileContext files = FileContext.getFileContext(folder.toUri(), job);
    return new StagedPlacementLog(files, files.makeQualified(folder));
  }

  @Override
  public @Nullable Version newest() throws IOException {
    int newest = -1;
    long renewed = 0;
    try {
      RemoteIterator<FileStatus> listed = files.listStatus(folder);
      while (listed.hasNext()) {
        FileStatus file = listed.next();
        String name = file.getPath().getName();
        if (name.startsWith(PREFIX)) {
          newest = Math.max(newest, Integer.parseInt(name.substring(PREFIX.length())));
          renewed = Math.max(renewed, file.getModificationTime());
        }
      }
    } catch (FileNotFoundException none) {
      return null;
    }
    return newest < 0 ? null : new Version(newest, read(file(newest)), renewed);
  }

  /** By the file's time: whoever makes or renews a placement has just talked to a coordinator. */
  @Override
  public void renewed(Version newest, long nowMillis) throws IOException {
    files.setTimes(file(newest.number()), nowMillis, -1);
  }

  private FixedPlacement read(Path file) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(files.open(file))) {
      return (FixedPlacement) in.readObject();
    } catch (ClassNotFoundException | ClassCastException e) {
      throw new IOException(file + " is no placement of this version of Sluice", e);
    }
  }

  /** Never its parent: what the application master has deleted with the job stays deleted. */
  @Override
  public void begin() throws IOException {
    try {
      files.mkdir(folder, OWNER, false);
    } catch (FileAlreadyExistsException there) {
      // Another task was first.
    }
  }

  @Override
  public boolean append(int number, FixedPlacement placement) throws IOException {
    Path written = new Path(folder, "." + UUID.randomUUID());
    try {
      try (ObjectOutputStream out =
          new ObjectOutputStream(files.create(written, EnumSet.of(CreateFlag.CREATE)))) {
        out.writeObject(placement);
      }
      // One at a time in this process, for the sake of local file systems.
      synchronized (StagedPlacementLog.class) {
        files.rename(written, file(number), Options.Rename.NONE);
      }
      return true;
    } catch (FileAlreadyExistsException earlier) {
      files.delete(written, false);
      return false;
    }
  }

  private Path file(int number) {
    return new Path(folder, PREFIX + number);
  }
}
