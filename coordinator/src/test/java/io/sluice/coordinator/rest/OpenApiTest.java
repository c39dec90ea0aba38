package io.sluice.coordinator.rest;

import static io.sluice.coordinator.rest.RestFixture.APPLICATION;
import static io.sluice.coordinator.rest.RestFixture.APPLICATIONS;
import static io.sluice.coordinator.rest.RestFixture.SERVER;
import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request.Method;
import com.atlassian.oai.validator.model.SimpleResponse;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.testing.Servers;
import io.sluice.http.Answer;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The published document is valid, complete, and what is served. */
class OpenApiTest {
  private static final String DOCUMENT = new String(OpenApi.document(), StandardCharsets.UTF_8);

  private static final OpenApiInteractionValidator VALIDATOR =
      OpenApiInteractionValidator.createForInlineApiSpecification(DOCUMENT).build();

  private final RestFixture rest = RestFixture.open().leading();

  @Test
  void isAValidDocument() {
    SwaggerParseResult parsed = new OpenAPIV3Parser().readContents(DOCUMENT);

    assertThat(parsed.getMessages()).isEmpty();
    assertThat(parsed.getOpenAPI().getPaths()).isNotEmpty();
  }

  @Test
  void namesExactlyWhatIsServed() {
    OpenAPI document = new OpenAPIV3Parser().readContents(DOCUMENT).getOpenAPI();
    List<String> documented = new ArrayList<>();
    document
        .getPaths()
        .forEach(
            (path, item) ->
                item.readOperationsMap()
                    .forEach((method, operation) -> documented.add(method + " " + path)));
    List<String> served = new ArrayList<>(rest.api.operations());
    RestSite.OWN.forEach(path -> served.add("GET " + path));

    assertThat(documented).containsExactlyInAnyOrderElementsOf(served);
  }

  /** With names that are there, in an order in which each operation finds what it needs. */
  @Test
  void everyOperationAnswersAsItSays() {
    OpenAPI document = new OpenAPIV3Parser().readContents(DOCUMENT).getOpenAPI();
    for (Method method : List.of(Method.PUT, Method.GET, Method.DELETE)) {
      document
          .getPaths()
          .forEach(
              (path, item) -> {
                if (item.readOperationsMap().containsKey(HttpMethod.valueOf(method.name()))) {
                  assertAsDocumented(method, filled(path));
                }
              });
      rest.register(ApplicationId.of(1, 2), "bob");
    }
  }

  @Test
  void everyOperationHasTheParametersThatItSaysAndNoOther() {
    Map<String, String> values = Map.of("limit", "1", "after", "", "user", "bob", "first", "0");
    OpenAPI document = new OpenAPIV3Parser().readContents(DOCUMENT).getOpenAPI();
    document
        .getPaths()
        .forEach(
            (path, item) -> {
              if (item.getGet() == null) {
                return;
              }
              assertThat(rest.get(filled(path) + "?odd=1").status()).as(path).isEqualTo(400);
              queries(document, item.getGet())
                  .forEach(
                      known -> {
                        String value = path.endsWith("/events") ? "1" : values.get(known);
                        String uri = filled(path) + "?" + known + "=" + value;
                        assertThat(rest.get(uri).status()).as(uri).isEqualTo(200);
                      });
            });
  }

  private static List<String> queries(OpenAPI document, Operation operation) {
    List<Parameter> all = operation.getParameters() == null ? List.of() : operation.getParameters();
    return all.stream()
        .map(
            one ->
                one.get$ref() == null
                    ? one
                    : document
                        .getComponents()
                        .getParameters()
                        .get(one.get$ref().replaceFirst(".*/", "")))
        .filter(one -> one.getIn().equals("query"))
        .map(Parameter::getName)
        .toList();
  }

  private static String filled(String path) {
    return path.replace("{server}", Servers.id(1).toString())
        .replace("{application}", APPLICATION.toString())
        .replace("{shuffle}", "3")
        .replace("{generation}", "0")
        .replace("{subject}", "user:ada");
  }

  private void assertAsDocumented(Method method, String path) {
    String body =
        path.contains("quotas") ? "{\"bytes\":100}" : "{\"allow\":[],\"deny\":[],\"load_max\":0.5}";
    Answer answer = rest.call(method.name(), path, method == Method.PUT ? body : "", Map.of());
    assertThat(answer.status()).as(method + " " + path).isEqualTo(method == Method.GET ? 200 : 204);
    assertThat(messages(method, path, answer)).as(method + " " + path).isEmpty();
  }

  @Test
  void refusalsAreAsItSays() {
    for (Answer refusal :
        List.of(
            rest.get(APPLICATIONS + ApplicationId.of(9, 9)),
            rest.get("/api/v1/servers/x"),
            rest.site.tooLarge(),
            rest.site.malformed(),
            RestFixture.open().get(SERVER))) {
      assertThat(refusal.status()).isGreaterThanOrEqualTo(400);
      assertThat(messages(Method.GET, SERVER, refusal)).isEmpty();
    }
  }

  private static List<String> messages(Method method, String path, Answer answer) {
    return VALIDATOR
        .validateResponse(
            path,
            method,
            SimpleResponse.Builder.status(answer.status())
                .withContentType(answer.contentType())
                .withBody(answer.body())
                .build())
        .getMessages()
        .stream()
        .map(message -> message.getMessage())
        .toList();
  }
}
