package io.sluice.benchmarks.suites;

import io.sluice.benchmarks.suites.TestResult.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A report that ScalaTest writes with {@code -u}, in JUnit's format. */
final class SuiteXml {
  private static final String CAUSE = "Cause: ";

  private SuiteXml() {}

  /**
   * The tests of a suite.
   *
   * @throws IOException if the file cannot be read or is no such report
   */
  static List<TestResult> read(Path file) throws IOException {
    Element root;
    try (InputStream in = Files.newInputStream(file)) {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      root = factory.newDocumentBuilder().parse(in).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(file + " is no report of a suite: " + e.getMessage(), e);
    }
    NodeList cases = root.getElementsByTagName("testcase");
    List<TestResult> results = new ArrayList<>();
    for (int i = 0; i < cases.getLength(); i++) {
      results.add(result((Element) cases.item(i)));
    }
    return results;
  }

  private static TestResult result(Element test) {
    String name = test.getAttribute("name");
    double seconds = Double.parseDouble(test.getAttribute("time"));
    for (String failure : List.of("failure", "error")) {
      NodeList found = test.getElementsByTagName(failure);
      if (found.getLength() > 0) {
        return new TestResult(name, Outcome.FAILED, seconds, said((Element) found.item(0)));
      }
    }
    boolean skipped = test.getElementsByTagName("skipped").getLength() > 0;
    return new TestResult(name, skipped ? Outcome.SKIPPED : Outcome.PASSED, seconds, "");
  }

  /** Its message, and first lines of what caused it, which ScalaTest writes among the frames. */
  private static String said(Element failure) {
    return Stream.concat(
            Stream.of(failure.getAttribute("message")),
            failure.getTextContent().lines().map(String::strip).filter(at -> at.startsWith(CAUSE)))
        .collect(Collectors.joining("; "));
  }
}
