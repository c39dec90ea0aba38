package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.service.StopSignal;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** What the help of every command owes its reader. */
class HelpTest {
  static Stream<CommandSpec> commands() {
    return withThoseBelow(Sluice.command(new StopSignal(status -> {})));
  }

  private static Stream<CommandSpec> withThoseBelow(CommandLine command) {
    return Stream.concat(
        Stream.of(command.getCommandSpec()),
        command.getSubcommands().values().stream().flatMap(HelpTest::withThoseBelow));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void describesEveryCommandAndArgument(CommandSpec command) {
    assertThat(command.usageMessage().description()).as(command.qualifiedName()).isNotEmpty();
    assertThat(command.args())
        .allSatisfy(arg -> assertThat(arg.description()).as(name(command, arg)).isNotEmpty());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void saysWhatAValueIs(CommandSpec command) {
    // Without a label of its own a value is called after a field or parameter: <arg0>, <rows>.
    assertThat(command.args())
        .filteredOn(arg -> arg.arity().max() > 0)
        .allSatisfy(
            arg -> assertThat(arg.paramLabel()).as(name(command, arg)).matches("[A-Z:=,.]+"));
  }

  private static String name(CommandSpec command, ArgSpec arg) {
    return command.qualifiedName() + ": " + arg;
  }
}
