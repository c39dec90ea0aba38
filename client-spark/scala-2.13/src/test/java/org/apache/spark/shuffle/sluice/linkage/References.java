package org.apache.spark.shuffle.sluice.linkage;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** What the code of one class names of others. */
final class References extends ClassVisitor {
  private final Set<Named> named = new LinkedHashSet<>();

  private References() {
    super(Opcodes.ASM9);
  }

  /**
   * One reference.
   *
   * @param name of a member, empty for the class alone
   * @param how which of the ways below
   */
  record Named(String owner, String name, String descriptor, How how) {}

  /** What a reference expects of what it names. */
  enum How {
    CLASS,
    STATIC_METHOD,
    STATIC_INTERFACE_METHOD,
    METHOD,
    INTERFACE_METHOD,
    STATIC_FIELD,
    FIELD,
    /** An interface of which that method is the only abstract one. */
    LAMBDA
  }

  static Set<Named> of(byte[] classFile) {
    References references = new References();
    new ClassReader(classFile).accept(references, ClassReader.SKIP_FRAMES);
    return references.named;
  }

  @Override
  public MethodVisitor visitMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    return new Code();
  }

  private void add(String owner, String name, String descriptor, How how) {
    if (!owner.startsWith("[")) {
      named.add(new Named(owner, name, descriptor, how));
    }
  }

  private void add(Type type) {
    Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
    if (element.getSort() == Type.OBJECT) {
      add(element.getInternalName(), "", "", How.CLASS);
    }
  }

  private void add(Handle handle) {
    boolean isInterface = handle.isInterface();
    switch (handle.getTag()) {
      case Opcodes.H_GETSTATIC, Opcodes.H_PUTSTATIC ->
          add(handle.getOwner(), handle.getName(), handle.getDesc(), How.STATIC_FIELD);
      case Opcodes.H_GETFIELD, Opcodes.H_PUTFIELD ->
          add(handle.getOwner(), handle.getName(), handle.getDesc(), How.FIELD);
      case Opcodes.H_INVOKESTATIC ->
          add(
              handle.getOwner(),
              handle.getName(),
              handle.getDesc(),
              isInterface ? How.STATIC_INTERFACE_METHOD : How.STATIC_METHOD);
      default ->
          add(
              handle.getOwner(),
              handle.getName(),
              handle.getDesc(),
              isInterface ? How.INTERFACE_METHOD : How.METHOD);
    }
  }

  private final class Code extends MethodVisitor {
    Code() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      add(Type.getObjectType(type));
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
      boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
      add(owner, name, descriptor, isStatic ? How.STATIC_FIELD : How.FIELD);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (opcode == Opcodes.INVOKESTATIC) {
        add(owner, name, descriptor, isInterface ? How.STATIC_INTERFACE_METHOD : How.STATIC_METHOD);
      } else {
        add(owner, name, descriptor, isInterface ? How.INTERFACE_METHOD : How.METHOD);
      }
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      for (Object argument : arguments) {
        if (argument instanceof Handle handle) {
          add(handle);
        }
      }
      if (bootstrap.getOwner().equals("java/lang/invoke/LambdaMetafactory")) {
        add(
            Type.getReturnType(descriptor).getInternalName(),
            name,
            ((Type) arguments[0]).getDescriptor(),
            How.LAMBDA);
      }
    }

    @Override
    public void visitLdcInsn(Object value) {
      if (value instanceof Type type && type.getSort() != Type.METHOD) {
        add(type);
      }
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
      add(Type.getType(descriptor));
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
      if (type != null) {
        add(type, "", "", How.CLASS);
      }
    }
  }
}
