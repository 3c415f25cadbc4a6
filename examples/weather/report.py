# Databricks notebook source
# MAGIC %md
# MAGIC # A year of weather in Seattle
# MAGIC Joins the results of the two notebooks before it.

# COMMAND ----------

import json
import os

dbutils.widgets.text("year", "2012", "Year")
dbutils.widgets.text("work_dir", "managed_fs:/weather/work", "Folder of the job's intermediate files")


def local_path(uri):
    """Returns the local path of a managed_fs URI. The environment of each task contains the root."""
    return os.path.join(os.environ["RUNYARD_MANAGED_FS"], uri.split(":", 1)[1].lstrip("/"))


def read(name):
    with open(os.path.join(local_path(dbutils.widgets.get("work_dir")), name)) as file:
        return json.load(file)


year = dbutils.widgets.get("year")
days, temperature, rain = (read("%s-%s.json" % (name, year)) for name in ("days", "temperature", "rain"))
print("%s: %d days" % (year, len(days)))

# COMMAND ----------

# DBTITLE 1,The year by month
BAR = '<div style="background:%s;height:.8em;width:%dpx"></div>'
ROW = "<tr><td>%s</td><td align=right>%.1f</td><td>%s</td><td align=right>%.1f</td><td>%s</td></tr>"
rows = [
    ROW % (month, high, BAR % ("#d1603d", 6 * max(high, 0)), rain["months"][month], BAR % ("#3d7bd1", rain["months"][month]))
    for month, high in temperature["months"].items()
]
displayHTML(
    "<h3>Seattle %s</h3><table><tr><th>Month</th><th colspan=2>Mean maximum, &deg;C</th><th colspan=2>Rain, mm</th></tr>%s</table>"
    % (year, "".join(rows))
)

# COMMAND ----------

# DBTITLE 1,Kinds of weather
kinds = {}
for day in days:
    kinds[day["weather"]] = kinds.get(day["weather"], 0) + 1
kinds

# COMMAND ----------

dbutils.notebook.exit(json.dumps({
    "year": int(year),
    "days": len(days),
    "mean_temp_max": temperature["mean_temp_max"],
    "mean_temp_max_interval": temperature["mean_temp_max_interval"],
    "mean_temp_min": temperature["mean_temp_min"],
    "hottest_day": temperature["hottest_day"],
    "coldest_day": temperature["coldest_day"],
    "total_precipitation_mm": rain["total_precipitation_mm"],
    "rain_days": rain["rain_days"],
    "rain_day_from_mm": rain["rain_day_from_mm"],
    "wettest_day": rain["wettest_day"],
    "longest_dry_spell_days": rain["longest_dry_spell_days"],
    "weather": kinds,
}))
