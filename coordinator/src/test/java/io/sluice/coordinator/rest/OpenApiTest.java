package io.sluice.coordinator.rest;

import static io.sluice.coordinator.rest.RestFixture.APPLICATION;
import static io.sluice.coordinator.rest.RestFixture.APPLICATIONS;
import static io.sluice.coordinator.rest.RestFixture.SERVER;
import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request.Method;
import com.atlassian.oai.validator.model.SimpleResponse;
import io.sluice.http.Answer;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The published document is valid, complete, and what is served. */
class OpenApiTest {
  private static final String DOCUMENT = new String(OpenApi.document(), StandardCharsets.UTF_8);

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
    served.add("GET " + RestSite.DOCUMENT);
    served.add("GET " + RestSite.VERSION);
    served.add("GET " + RestSite.CONFIGURATION);

    assertThat(documented).containsExactlyInAnyOrderElementsOf(served);
  }

  @Test
  void answersAreAsItSays() {
    OpenApiInteractionValidator validator =
        OpenApiInteractionValidator.createForInlineApiSpecification(DOCUMENT).build();
    assertThat(rest.put("/api/v1/quotas/user:ada", "{\"bytes\":100}").status()).isEqualTo(204);

    for (String path :
        List.of(
            RestSite.VERSION,
            RestSite.CONFIGURATION,
            "/api/v1/cluster",
            "/api/v1/events",
            "/api/v1/servers",
            SERVER,
            "/api/v1/applications",
            APPLICATIONS + APPLICATION,
            APPLICATIONS + APPLICATION + "/shuffles",
            APPLICATIONS + APPLICATION + "/shuffles/3/0",
            APPLICATIONS + APPLICATION + "/shuffles/3/0/placement",
            "/api/v1/quotas",
            "/api/v1/quotas/user:ada",
            "/api/v1/admission")) {
      Answer answer = rest.get(path);
      assertThat(answer.status()).as(path).isEqualTo(200);
      assertThat(messages(validator, path, answer)).as(path).isEmpty();
    }
    String nowhere = APPLICATIONS + "00000000-0000-0000-0000-000000000009";
    assertThat(rest.get(nowhere).status()).isEqualTo(404);
    assertThat(messages(validator, nowhere, rest.get(nowhere))).isEmpty();
  }

  private static List<String> messages(
      OpenApiInteractionValidator validator, String path, Answer answer) {
    return validator
        .validateResponse(
            path,
            Method.GET,
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
