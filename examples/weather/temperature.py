# Databricks notebook source
# MAGIC %md
# MAGIC # Temperature of one year
# MAGIC Mean per month, hottest and coldest day, and a confidence interval of the annual mean.

# COMMAND ----------

import json
import os
import random
from statistics import mean

dbutils.widgets.text("year", "2012", "Year")
dbutils.widgets.text("work_dir", "managed_fs:/weather/work", "Folder of the job's intermediate files")


def local_path(uri):
    """Returns the local path of a managed_fs URI. The environment of each task contains the root."""
    return os.path.join(os.environ["RUNYARD_MANAGED_FS"], uri.split(":", 1)[1].lstrip("/"))


year = dbutils.widgets.get("year")
work = local_path(dbutils.widgets.get("work_dir"))
with open(os.path.join(work, "days-%s.json" % year)) as file:
    days = json.load(file)
print("%d days of %s" % (len(days), year))

# COMMAND ----------

# DBTITLE 1,Months
months = {}
for day in days:
    months.setdefault(day["date"][:7], []).append(day["temp_max"])
months = {month: round(mean(values), 2) for month, values in months.items()}
months

# COMMAND ----------

# DBTITLE 1,Confidence interval of the mean
# Bootstrap: 95 of 100 years drawn from these days have a mean within the interval.
highs = [day["temp_max"] for day in days]
draw = random.Random(int(year))
means = sorted(mean_of / len(highs) for mean_of in (sum(draw.choices(highs, k=len(highs))) for _ in range(20_000)))
interval = [round(means[499], 2), round(means[19499], 2)]
print("mean of the daily maximum: %.2f, between %s and %s" % (mean(highs), *interval))

# COMMAND ----------

hottest = max(days, key=lambda day: day["temp_max"])
coldest = min(days, key=lambda day: day["temp_min"])
result = {
    "mean_temp_max": round(mean(highs), 2),
    "mean_temp_max_interval": interval,
    "mean_temp_min": round(mean(day["temp_min"] for day in days), 2),
    "hottest_day": {"date": hottest["date"], "temp_max": hottest["temp_max"], "twin": hottest["twin"]},
    "coldest_day": {"date": coldest["date"], "temp_min": coldest["temp_min"]},
    "months": months,
}
target = os.path.join(work, "temperature-%s.json" % year)
# Replaces the file in one step, because another run of the job may be reading it.
part = "%s.%d" % (target, os.getpid())
with open(part, "w") as file:
    json.dump(result, file)
os.replace(part, target)
dbutils.notebook.exit(json.dumps(result))
