package org.apache.spark.shuffle.sluice.driver;

import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * Spark's RPC of a driver and of an executor, over sockets. As an executor of 4.x begins, the
 * latter knows no class of ours: the jars of {@code spark.jars} come later.
 */
final class RpcPair implements AutoCloseable {
  final SparkConf conf;
  final RpcEnv driver;
  final RpcEnv executor;

  RpcPair(SparkConf conf) {
    this.conf = conf;
    this.driver = driver(conf);
    Thread thread = Thread.currentThread();
    ClassLoader own = thread.getContextClassLoader();
    thread.setContextClassLoader(new WithoutSluice(own));
    try {
      this.executor = rpc("executor", conf, true);
    } finally {
      thread.setContextClassLoader(own);
    }
  }

  /** A driver's, whose address is put into the configuration. */
  static RpcEnv driver(SparkConf conf) {
    RpcEnv driver = rpc("driver", conf, false);
    conf.set("spark.driver.host", driver.address().host());
    conf.set("spark.driver.port", String.valueOf(driver.address().port()));
    return driver;
  }

  private static RpcEnv rpc(String name, SparkConf conf, boolean client) {
    return RpcEnv.create(
        name,
        "localhost",
        "localhost",
        client ? -1 : 0,
        conf,
        new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE()),
        1,
        client);
  }

  @Override
  public void close() {
    executor.shutdown();
    driver.shutdown();
    executor.awaitTermination();
    driver.awaitTermination();
  }

  private static final class WithoutSluice extends ClassLoader {
    WithoutSluice(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("io.sluice.") || name.startsWith("org.apache.spark.shuffle.sluice.")) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }
}
