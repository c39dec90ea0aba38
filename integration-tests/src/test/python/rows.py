"""A PySpark program as a user would write it: rows.py OUTPUT KEY=VALUE...

Every value is a setting of the session; the key "remote" makes it a Spark Connect session. Each row of
each job is a line of OUTPUT.
"""
import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

ROWS = 20_000


def data_frames(spark):
    numbers = spark.range(0, ROWS, 1, 6)
    facts = numbers.select(
        (F.col("id") % 977).alias("k"), F.col("id").alias("v"), F.sha2(F.col("id").cast("string"), 256).alias("t"))
    names = spark.range(0, 1500, 1, 4).select(F.col("id").alias("k"), (F.col("id") * 7).alias("w"))
    mixed = F.udf(lambda v, w: v * 3 + w, LongType())
    joined = facts.join(names, "k")
    yield "join", joined.select("k", "v", "t", mixed("v", "w").alias("m")).orderBy("v")
    yield "group", joined.groupBy("k").agg(F.sum("w"), F.count("*"), F.max("t")).orderBy("k")
    yield "anti", names.join(facts, "k", "left_anti").orderBy("k")
    yield "repartition", facts.repartition(9).orderBy("v")


def rdds(context):
    pairs = context.parallelize(range(ROWS), 6).map(lambda x: (x % 531, {"x": x, "text": str(x)}))
    numbers = pairs.mapValues(lambda value: value["x"])
    squares = context.parallelize([(i, i * i) for i in range(300)], 3)
    yield "groupByKey", sorted((k, sorted(v["x"] for v in values)) for k, values in pairs.groupByKey(11).collect())
    yield "reduceByKey", sorted(numbers.reduceByKey(lambda a, b: a + b, 7).collect())
    yield "sortBy", context.parallelize(range(ROWS), 6).map(lambda x: x * 7919 % ROWS).sortBy(lambda x: -x).collect()
    yield "rdd join", sorted(numbers.join(squares, 5).collect())


def main(output, settings):
    builder = SparkSession.builder.appName("rows")
    remote = settings.pop("remote", None)
    if remote:
        builder = builder.remote(remote)
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    if remote:
        assert spark.conf.get("spark.master") == remote, "the server took another master"
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.shuffle.partitions", "12")
    lines = 0
    with open(output, "w", encoding="utf-8") as file:
        jobs = [(name, frame.collect()) for name, frame in data_frames(spark)]
        if not remote:
            jobs += rdds(spark.sparkContext)
        for name, rows in jobs:
            for row in rows:
                file.write(json.dumps([name, row]) + "\n")
                lines += 1
    spark.stop()
    print("@rows", lines, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], dict(argument.split("=", 1) for argument in sys.argv[2:]))
