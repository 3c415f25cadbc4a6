"""Tables of the pipeline in Python: the months of all years, with an expectation on every row."""
from pyspark import pipelines as dp
from pyspark.sql import functions as f


@dp.temporary_view
def days():
    return spark.read.parquet(spark.conf.get("days"))


@dp.materialized_view(comment="Months with their mean maximum and rain")
@dp.expect_or_fail("a month has days", "days > 0")
def months():
    return (
        spark.read.table("days")
        .groupBy(f.trunc("date", "month").alias("month"))
        .agg(
            f.count("*").alias("days"),
            f.round(f.avg("temp_max"), 1).alias("mean_temp_max"),
            f.round(f.sum("precipitation"), 1).alias("rain"),
        )
    )
