package org.apache.spark.shuffle.sluice.linkage;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.apache.spark.shuffle.sluice.linkage.ClassFile.Member;
import org.apache.spark.shuffle.sluice.linkage.ClassFiles.Found;
import org.apache.spark.shuffle.sluice.linkage.References.How;
import org.apache.spark.shuffle.sluice.linkage.References.Named;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;

/**
 * What a virtual machine would refuse of our classes on a class path with some Spark, and only when
 * it comes there: calls of what is not there or of another kind, abstract methods that nobody
 * implements, final ones that are overridden.
 */
final class Linkage {
  private static final String OURS = "org/apache/spark/shuffle/sluice/";

  private final ClassFiles classPath;
  private final List<String> problems = new ArrayList<>();
  private int references;

  private Linkage(ClassFiles classPath) {
    this.classPath = classPath;
  }

  /**
   * Looks at classes.
   *
   * @param classes ours
   * @param which names with slashes
   */
  static Linkage of(List<byte[]> classes, ClassFiles classPath, Predicate<String> which) {
    Linkage linkage = new Linkage(classPath);
    for (byte[] bytes : classes) {
      ClassFile file = ClassFile.parse(bytes);
      if (which.test(file.name())) {
        linkage.check(file, bytes);
      }
    }
    return linkage;
  }

  List<String> problems() {
    return problems;
  }

  /** To Spark and Scala. */
  int references() {
    return references;
  }

  private void check(ClassFile file, byte[] bytes) {
    checkInheritance(file);
    for (Named named : References.of(bytes)) {
      if (named.owner().startsWith("org/apache/spark/") || named.owner().startsWith("scala/")) {
        references++;
        String problem = problem(file, named);
        if (problem != null) {
          problems.add(
              String.format(
                  Locale.ROOT,
                  "%s: %s.%s%s %s",
                  file.name(),
                  named.owner(),
                  named.name(),
                  named.descriptor(),
                  problem));
        }
      }
    }
  }

  private @Nullable String problem(ClassFile from, Named named) {
    ClassFile owner = classPath.find(named.owner());
    if (owner == null) {
      return "is in no class that is there";
    }
    if (!owner.is(Opcodes.ACC_PUBLIC) && !owner.packageName().equals(from.packageName())) {
      return "is in a class that is not public";
    }
    return switch (named.how()) {
      case CLASS -> null;
      case LAMBDA -> problemOfLambda(owner, named);
      case FIELD, STATIC_FIELD, METHOD, INTERFACE_METHOD, STATIC_METHOD, STATIC_INTERFACE_METHOD ->
          problemOfMember(from, owner, named);
    };
  }

  private @Nullable String problemOfMember(ClassFile from, ClassFile owner, Named named) {
    Found found = classPath.resolve(owner, named.name(), named.descriptor());
    if (found == null) {
      return "is not there";
    }
    How how = named.how();
    boolean isStatic =
        how == How.STATIC_FIELD || how == How.STATIC_METHOD || how == How.STATIC_INTERFACE_METHOD;
    if (found.member().is(Opcodes.ACC_STATIC) != isStatic) {
      return "is static, or is not any more";
    }
    boolean isField = how == How.FIELD || how == How.STATIC_FIELD;
    boolean isInterface = how == How.INTERFACE_METHOD || how == How.STATIC_INTERFACE_METHOD;
    if (!isField && owner.is(Opcodes.ACC_INTERFACE) != isInterface) {
      return "is in an interface, or is not any more";
    }
    return isAccessible(from, found) ? null : "is not accessible";
  }

  private static boolean isAccessible(ClassFile from, Found found) {
    Member member = found.member();
    if (member.is(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) {
      return true; // The compiler has seen to it that protected ones are called by heirs only.
    }
    // Classes of one source file may see each other's.
    return found.place().packageName().equals(from.packageName())
        && (!member.is(Opcodes.ACC_PRIVATE) || found.place().name().startsWith(OURS));
  }

  private @Nullable String problemOfLambda(ClassFile owner, Named named) {
    List<Member> open = unimplemented(owner);
    return open.size() == 1 && open.get(0).matches(named.name(), named.descriptor())
        ? null
        : "is not the only abstract method of " + open;
  }

  private void checkInheritance(ClassFile file) {
    for (ClassFile place : classPath.lineage(file)) {
      if (place.name().equals(file.name())) {
        continue;
      }
      if (place.is(Opcodes.ACC_FINAL)) {
        problems.add(file.name() + " extends " + place.name() + ", which is final");
      }
      for (Member member : file.members()) {
        Member above = place.declared(member.name(), member.descriptor());
        if (above != null && above.is(Opcodes.ACC_FINAL) && !above.is(Opcodes.ACC_PRIVATE)) {
          problems.add(file.name() + " overrides the final " + place.name() + "." + above);
        }
      }
    }
    if (!file.is(Opcodes.ACC_ABSTRACT)) {
      for (Member member : unimplemented(file)) {
        problems.add(file.name() + " does not implement " + member);
      }
    }
  }

  /** Abstract methods of a class and of all that it inherits from. */
  private List<Member> unimplemented(ClassFile file) {
    List<ClassFile> lineage = classPath.lineage(file);
    List<Member> open = new ArrayList<>();
    for (ClassFile place : lineage) {
      for (Member member : place.members()) {
        if (member.is(Opcodes.ACC_ABSTRACT)
            && open.stream().noneMatch(o -> o.matches(member.name(), member.descriptor()))
            && lineage.stream().noneMatch(other -> implementsIt(other, member))) {
          open.add(member);
        }
      }
    }
    return open;
  }

  private boolean implementsIt(ClassFile place, Member member) {
    Member declared = place.declared(member.name(), member.descriptor());
    if (declared == null) {
      // What every class has from Object is no abstract method of an interface.
      ClassFile object = classPath.find("java/lang/Object");
      declared = object == null ? null : object.declared(member.name(), member.descriptor());
    }
    return declared != null && !declared.is(Opcodes.ACC_ABSTRACT | Opcodes.ACC_STATIC);
  }
}
