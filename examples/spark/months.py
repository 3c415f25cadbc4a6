# Databricks notebook source
# MAGIC %md
# MAGIC # The months of a year
# MAGIC Python and SQL share one Spark session.

# COMMAND ----------

dbutils.widgets.text("year", "2012", "Year")
dbutils.widgets.text("days", "managed_fs:/weather-spark/days", "Folder of the days")
year = int(dbutils.widgets.get("year"))
spark.read.parquet(dbutils.widgets.get("days")).where(f"year = {year}").createOrReplaceTempView("days")

# COMMAND ----------

# MAGIC %sql
# MAGIC select month(date) as month, round(avg(temp_max), 1) as mean_temp_max, round(sum(precipitation), 1) as rain
# MAGIC from days group by month(date) order by month

# COMMAND ----------

if _sqldf.count() == 0:
    raise ValueError("There is no day of the year %d." % year)
dbutils.jobs.taskValues.set("wettest_month", max(_sqldf.collect(), key=lambda row: row.rain).month)
