package io.sluice.integration;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Marks a class whose tests leave both cores idle for most of their time: something is frozen, or
 * has to be silent until others give it up. It runs beside the classes without this mark, which run
 * one after the other and keep the cores busy. Classes with it run one at a time too, and so do
 * their methods: that is what the lock is for, which they take for all of their time.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("mostly waits")
@interface MostlyWaits {}
