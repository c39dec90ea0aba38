package io.sluice.benchmarks.suites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.suites.TestResult.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteXmlTest {
  private final Path directory;

  SuiteXmlTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void readsWhatScalaTestWrites() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("TEST-a.First.xml"),
            """
            <?xml version="1.0" encoding="UTF-8" ?>
            <testsuite errors="0" failures="1" hostname="here" name="a.First" tests="3"
                time="1.5" timestamp="2026-11-22T07:00:00">
              <properties><property name="user.dir" value="/"></property></properties>
              <testcase name="joins &amp; sorts" classname="a.First" time="0.25"></testcase>
              <testcase name="counts files" classname="a.First" time="1">
                <failure message="0 was not 4" type="class TestFailedException">at a.First</failure>
              </testcase>
              <testcase name="later" classname="a.First" time="0.0"><skipped /></testcase>
              <system-out><![CDATA[]]></system-out>
            </testsuite>
            """);

    assertThat(SuiteXml.read(file))
        .containsExactly(
            new TestResult("joins & sorts", Outcome.PASSED, 0.25, ""),
            new TestResult("counts files", Outcome.FAILED, 1, "0 was not 4"),
            new TestResult("later", Outcome.SKIPPED, 0, ""));
  }

  @Test
  void saysWhatAFailureWasCausedBy() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("TEST-a.First.xml"),
            """
            <testsuite>
              <testcase name="with a setting" classname="a.First" time="1">
                <failure message="Failed with x=true" type="class java.lang.Exception">
                  java.lang.Exception: Failed with x=true
                  at a.First.test(First.scala:3)
                  Cause: a.Second: there &lt;was&gt; nothing
                  at a.First.test(First.scala:2)
                  Cause: a.Third: 0 was not 4
                  at a.First.test(First.scala:1)
                </failure>
              </testcase>
            </testsuite>
            """);

    assertThat(SuiteXml.read(file))
        .extracting(TestResult::message)
        .containsExactly(
            "Failed with x=true; Cause: a.Second: there <was> nothing; Cause: a.Third: 0 was not 4");
  }

  @Test
  void saysWhichFileIsNoReport() throws IOException {
    Path file = Files.writeString(directory.resolve("TEST-a.First.xml"), "<testsuite>");

    assertThatThrownBy(() -> SuiteXml.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + " is no report of a suite: ");
  }
}
