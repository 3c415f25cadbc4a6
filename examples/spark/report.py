# Databricks notebook source
# MAGIC %md
# MAGIC # A year of weather in Seattle, computed by Spark

# COMMAND ----------

import json

from pyspark.sql import functions as f
from pyspark.sql.window import Window

dbutils.widgets.text("year", "2012", "Year")
dbutils.widgets.text("days", "managed_fs:/weather-spark/days", "Folder of the days")
year = int(dbutils.widgets.get("year"))
days = spark.read.parquet(dbutils.widgets.get("days")).where(f.col("year") == year)
display(days.orderBy("date").limit(10))

# COMMAND ----------

# DBTITLE 1,Summary
rain = f.col("precipitation") >= 1.0
totals = days.agg(
    f.count("*").alias("days"),
    f.round(f.avg("temp_max"), 1).alias("mean_temp_max"),
    f.round(f.sum("precipitation"), 1).alias("total_precipitation_mm"),
    f.sum(rain.cast("int")).alias("rain_days"),
).first()
hottest = days.orderBy(f.desc("temp_max"), "date").first()
# Days between the same two rainy days have the same number of rainy days before them.
by_date = Window.orderBy("date")
spells = days.withColumn("spell", f.sum(rain.cast("int")).over(by_date)).where(~rain).groupBy("spell").count()
longest = spells.agg(f.max("count")).first()[0]

# COMMAND ----------

dbutils.notebook.exit(
    json.dumps(
        {
            "year": year,
            **totals.asDict(),
            "hottest_day": {"date": str(hottest.date)[:10], "temp_max": hottest.temp_max},
            "longest_dry_spell_days": longest or 0,
            "wettest_month": dbutils.jobs.taskValues.get("months", "wettest_month"),
        }
    )
)
