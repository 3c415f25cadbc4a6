"""First task: reads the daily weather with Spark and writes it as Parquet, one folder per year.

    ingest.py <input CSV> <output folder>        both as managed_fs:/...
"""
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def main(source, target):
    spark = SparkSession.builder.appName("ingest").getOrCreate()
    days = (
        spark.read.csv(source, header=True, inferSchema=True)
        .dropna(subset=["date", "temp_max", "precipitation"])
        .dropDuplicates(["date"])
        .withColumn("year", f.year("date"))
    )
    days.write.mode("overwrite").partitionBy("year").parquet(target)
    for row in days.groupBy("year").count().orderBy("year").collect():
        print("%d: %d days" % (row["year"], row["count"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
