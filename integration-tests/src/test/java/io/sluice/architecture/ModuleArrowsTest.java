package io.sluice.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;

/** Arrows between modules run one way (docs/architecture.md). */
@AnalyzeClasses(
    packages = {"io.sluice", "org.apache.spark.shuffle.sluice"},
    importOptions = DoNotIncludeTests.class)
class ModuleArrowsTest {
  private static final String COMMON = "io.sluice.common..";
  private static final String PROTO = "io.sluice.proto..";
  private static final String TRANSPORT = "io.sluice.transport..";
  private static final String HTTP = "io.sluice.http..";
  private static final String CLIENT = "io.sluice.client..";
  private static final String SPARK = "org.apache.spark.shuffle.sluice..";
  private static final String MAPREDUCE = "io.sluice.mapreduce..";
  private static final String COORDINATOR = "io.sluice.coordinator..";
  private static final String SERVER = "io.sluice.server..";
  private static final String TIER_HDFS = "io.sluice.tier.hdfs..";
  private static final String CLI = "io.sluice.cli..";
  private static final String BENCHMARKS = "io.sluice.benchmarks..";

  @ArchTest
  static void arrowsRunOneWay(JavaClasses imported) {
    ArchRule rule =
        Architectures.layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("common")
            .definedBy(COMMON)
            .layer("proto")
            .definedBy(PROTO)
            .layer("transport")
            .definedBy(TRANSPORT)
            .layer("http")
            .definedBy(HTTP)
            .layer("client")
            .definedBy(CLIENT)
            .layer("spark")
            .definedBy(SPARK)
            .layer("mapreduce")
            .definedBy(MAPREDUCE)
            .layer("coordinator")
            .definedBy(COORDINATOR)
            .layer("server")
            .definedBy(SERVER)
            .layer("tier-hdfs")
            .definedBy(TIER_HDFS)
            .layer("cli")
            .definedBy(CLI)
            .optionalLayer("benchmarks")
            .definedBy(BENCHMARKS)
            .whereLayer("proto")
            .mayOnlyBeAccessedByLayers("client", "coordinator", "server", "cli", "benchmarks")
            .whereLayer("transport")
            .mayOnlyBeAccessedByLayers("client", "server", "spark", "mapreduce", "benchmarks")
            .whereLayer("http")
            .mayOnlyBeAccessedByLayers("coordinator", "server")
            .whereLayer("client")
            .mayOnlyBeAccessedByLayers("spark", "mapreduce", "cli", "benchmarks")
            .whereLayer("spark")
            .mayOnlyBeAccessedByLayers("benchmarks")
            .whereLayer("mapreduce")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("coordinator")
            .mayOnlyBeAccessedByLayers("cli", "benchmarks")
            .whereLayer("server")
            .mayOnlyBeAccessedByLayers("cli", "benchmarks", "tier-hdfs")
            .whereLayer("tier-hdfs")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("cli")
            .mayOnlyBeAccessedByLayers("benchmarks");
    rule.check(imported);
  }

  @ArchTest
  static void storageSeesNeitherSocketsNorProtobuf(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage(
                "io.sluice.server.segment..",
                "io.sluice.server.catalog..",
                "io.sluice.server.disk..",
                "io.sluice.server.cache..",
                "io.sluice.server.identity..",
                "io.sluice.server.memory..",
                "io.sluice.server.flush..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "io.grpc..", "com.google.protobuf..", PROTO);
    rule.check(imported);
  }

  @ArchTest
  static void clientsSeeNoStorage(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage(COMMON, TRANSPORT, CLIENT, SPARK, MAPREDUCE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.rocksdb..", "org.apache.curator..", "org.apache.zookeeper..");
    rule.check(imported);
  }

  @ArchTest
  static void engineNeutralClientKnowsNoEngine(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage(COMMON, TRANSPORT, CLIENT, SERVER, COORDINATOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.spark..", "org.apache.hadoop..", "scala..");
    rule.check(imported);
  }

  @ArchTest
  static void onlyTheHdfsTierOfAServerSeesHadoop(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideOutsideOfPackages(TIER_HDFS, SPARK, MAPREDUCE, BENCHMARKS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.hadoop..");
    rule.check(imported);
  }

  @ArchTest
  static void protocolStateMachinesKnowNoChannels(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage("io.sluice.transport.frame..", "io.sluice.transport.session..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap..");
    rule.check(imported);
  }

  @ArchTest
  static void whatCarriesTheProtocolDecodesNothing(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage("io.sluice.transport.netty..", "io.sluice.transport.grpc..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.sluice.transport.frame..");
    rule.check(imported);
  }

  @ArchTest
  static void contextsOfTlsAreMadeInOnePlace(JavaClasses imported) {
    ArchRule rule =
        noClasses()
            .that()
            .resideOutsideOfPackage("io.sluice.common.tls")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("io.netty.handler.ssl.SslContextBuilder");
    rule.check(imported);
  }

  @ArchTest
  static void noPackageCycles(JavaClasses imported) {
    ArchRule rule = slices().matching("io.sluice.(*).(*)..").should().beFreeOfCycles();
    rule.check(imported);
  }

  @ArchTest
  static void everyModuleWasSeen(JavaClasses imported) {
    for (String pattern :
        new String[] {
          COMMON,
          PROTO,
          TRANSPORT,
          HTTP,
          CLIENT,
          SPARK,
          MAPREDUCE,
          COORDINATOR,
          SERVER,
          TIER_HDFS,
          CLI
        }) {
      assertThat(imported.that(resideInAPackage(pattern))).as(pattern).isNotEmpty();
    }
  }
}
