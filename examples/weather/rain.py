# Databricks notebook source
# MAGIC %md
# MAGIC # Rain of one year
# MAGIC Sum per month, wettest day, longest dry spell, and how often a random order of the days has a spell as long.

# COMMAND ----------

import json
import os
import random

dbutils.widgets.text("year", "2012", "Year")
dbutils.widgets.text("work_dir", "managed_fs:/weather/work", "Folder of the job's intermediate files")


def local_path(uri):
    """Returns the local path of a managed_fs URI. The environment of each task contains the root."""
    return os.path.join(os.environ["RUNYARD_MANAGED_FS"], uri.split(":", 1)[1].lstrip("/"))


year = dbutils.widgets.get("year")
work = local_path(dbutils.widgets.get("work_dir"))
with open(os.path.join(work, "days-%s.json" % year)) as file:
    days = json.load(file)

# COMMAND ----------

# DBTITLE 1,Threshold of a rain day
# The shared cluster of the job sets the threshold for all tasks in its spark_env_vars.
rain_from = float(os.environ.get("RAIN_DAY_FROM_MM", "0.1"))
wet = [day["precipitation"] >= rain_from for day in days]
print("%d of %d days had %s mm or more" % (sum(wet), len(days), rain_from))

# COMMAND ----------

# DBTITLE 1,Months
months = {}
for day in days:
    month = day["date"][:7]
    months[month] = round(months.get(month, 0) + day["precipitation"], 1)
months

# COMMAND ----------

# DBTITLE 1,Dry spells
def longest_dry_spell(wet_days):
    longest = length = 0
    for is_wet in wet_days:
        length = 0 if is_wet else length + 1
        longest = max(longest, length)
    return longest


spell = longest_dry_spell(wet)
# Counts spells as long in random orders of the same days. They are rare if dry weather has a season.
shuffle = random.Random(int(year)).shuffle
shuffled = list(wet)
as_long = 0
for _ in range(5_000):
    shuffle(shuffled)
    as_long += longest_dry_spell(shuffled) >= spell
print("longest dry spell: %d days; by chance in %.1f of 100 years" % (spell, as_long / 50))

# COMMAND ----------

wettest = max(days, key=lambda day: day["precipitation"])
result = {
    "total_precipitation_mm": round(sum(day["precipitation"] for day in days), 1),
    "rain_days": sum(wet),
    "rain_day_from_mm": rain_from,
    "wettest_day": {"date": wettest["date"], "precipitation_mm": wettest["precipitation"]},
    "longest_dry_spell_days": spell,
    "months": months,
}
target = os.path.join(work, "rain-%s.json" % year)
# Replaces the file in one step, because another run of the job may be reading it.
part = "%s.%d" % (target, os.getpid())
with open(part, "w") as file:
    json.dump(result, file)
os.replace(part, target)
dbutils.notebook.exit(json.dumps(result))
