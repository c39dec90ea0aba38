package org.apache.spark.shuffle.sluice.linkage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.shuffle.sluice.linkage.ClassFile.Member;
import org.jspecify.annotations.Nullable;

/** Class files of jars and folders, searched in their order, and of the Java runtime. */
final class ClassFiles implements AutoCloseable {
  private final List<FileSystem> opened = new ArrayList<>();
  private final List<Path> roots = new ArrayList<>();
  private final Map<String, Optional<ClassFile>> known = new HashMap<>();

  ClassFiles(List<Path> classPath) throws IOException {
    for (Path entry : classPath) {
      if (Files.isDirectory(entry)) {
        roots.add(entry);
      } else if (Files.exists(entry)) {
        FileSystem jar = FileSystems.newFileSystem(entry);
        opened.add(jar);
        roots.add(jar.getPath("/"));
      }
    }
  }

  /** The bytes of all classes in a package, and in those within it, but not of the runtime's. */
  List<byte[]> in(String packageName) throws IOException {
    List<byte[]> classes = new ArrayList<>();
    for (Path root : roots) {
      Path folder = root.resolve(packageName);
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
            classes.add(Files.readAllBytes(file));
          }
        }
      }
    }
    return classes;
  }

  /** A class by its name with slashes; null if it is nowhere. */
  @Nullable ClassFile find(String name) {
    return known.computeIfAbsent(name, this::read).orElse(null);
  }

  private Optional<ClassFile> read(String name) {
    String file = name + ".class";
    try {
      for (Path root : roots) {
        Path path = root.resolve(file);
        if (Files.exists(path)) {
          return Optional.of(ClassFile.parse(Files.readAllBytes(path)));
        }
      }
      try (InputStream runtime = ClassLoader.getPlatformClassLoader().getResourceAsStream(file)) {
        return runtime == null
            ? Optional.empty()
            : Optional.of(ClassFile.parse(runtime.readAllBytes()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The class, its superclasses in order, then all their interfaces, as far as they are there. */
  List<ClassFile> lineage(ClassFile of) {
    List<ClassFile> lineage = new ArrayList<>();
    for (ClassFile at = of; at != null; at = at.superName() == null ? null : find(at.superName())) {
      lineage.add(at);
    }
    for (int i = 0; i < lineage.size(); i++) {
      for (String name : lineage.get(i).interfaces()) {
        ClassFile file = find(name);
        if (file != null && !lineage.contains(file)) {
          lineage.add(file);
        }
      }
    }
    return lineage;
  }

  /** Where a member that is named in a class is found, as the virtual machine would. */
  @Nullable Found resolve(ClassFile in, String name, String descriptor) {
    List<ClassFile> places = name.equals("<init>") ? List.of(in) : lineage(in);
    for (ClassFile place : places) {
      Member member = place.declared(name, descriptor);
      if (member != null) {
        return new Found(place, member);
      }
    }
    return null;
  }

  /** A member, and the class that declares it. */
  record Found(ClassFile place, Member member) {}

  @Override
  public void close() throws IOException {
    for (FileSystem jar : opened) {
      jar.close();
    }
  }
}
