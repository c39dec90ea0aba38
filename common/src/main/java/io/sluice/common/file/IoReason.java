package io.sluice.common.file;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why something failed, in words: what Java puts into the type is not in the message. */
public final class IoReason {
  private IoReason() {}

  /** For the end of a sentence; never empty. */
  public static String of(IOException e) {
    if (e instanceof UnknownHostException) {
      return e.getMessage() + ": no such host is known";
    }
    if (!(e instanceof FileSystemException)) {
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
    String file = ((FileSystemException) e).getFile();
    return file == null ? withoutFile(e) : file + ": " + withoutFile(e);
  }

  /** The same for a sentence that names the file itself, or is not about it. */
  public static String withoutFile(IOException e) {
    if (!(e instanceof FileSystemException)) {
      return of(e);
    }
    FileSystemException failed = (FileSystemException) e;
    return failed.getReason() == null ? words(failed) : failed.getReason();
  }

  private static String words(FileSystemException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "there is no such file or directory";
    }
    if (e instanceof NotDirectoryException) {
      return "not a directory";
    }
    if (e instanceof DirectoryNotEmptyException) {
      return "a directory that is not empty";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file that is no directory is in its place";
    }
    return e.getClass().getSimpleName();
  }
}
