package org.apache.spark.shuffle.sluice.linkage;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A class as far as others link with it.
 *
 * @param name with slashes, as in class files
 * @param superName null for {@code Object}
 * @param members methods and fields; a field's descriptor has no parenthesis
 */
record ClassFile(
    String name,
    int access,
    @Nullable String superName,
    List<String> interfaces,
    List<Member> members) {

  /** A method or a field. */
  record Member(String name, String descriptor, int access) {
    boolean is(int flag) {
      return (access & flag) != 0;
    }

    boolean matches(String otherName, String otherDescriptor) {
      return name.equals(otherName) && descriptor.equals(otherDescriptor);
    }
  }

  static ClassFile parse(byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    List<Member> members = new ArrayList<>();
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public @Nullable FieldVisitor visitField(
              int access,
              String name,
              String descriptor,
              @Nullable String signature,
              @Nullable Object value) {
            members.add(new Member(name, descriptor, access));
            return null;
          }

          @Override
          public @Nullable MethodVisitor visitMethod(
              int access,
              String name,
              String descriptor,
              @Nullable String signature,
              String @Nullable [] exceptions) {
            members.add(new Member(name, descriptor, access));
            return null;
          }
        },
        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return new ClassFile(
        reader.getClassName(),
        reader.getAccess(),
        reader.getSuperName(),
        List.of(reader.getInterfaces()),
        members);
  }

  boolean is(int flag) {
    return (access & flag) != 0;
  }

  @Nullable Member declared(String memberName, String descriptor) {
    return members.stream()
        .filter(member -> member.matches(memberName, descriptor))
        .findFirst()
        .orElse(null);
  }

  String packageName() {
    return name.substring(0, name.lastIndexOf('/') + 1);
  }
}
