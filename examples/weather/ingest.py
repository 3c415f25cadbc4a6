"""First task: cleans the daily weather of all years and writes one file per year for the notebooks after it.

    ingest.py <input CSV> <output folder>        both as managed_fs:/...

Adds the twin of each day: the day of another year with the most similar weather.
"""
import csv
import json
import os
import sys
from datetime import date

NUMBERS = ("precipitation", "temp_max", "temp_min", "wind")


def local_path(uri):
    """Returns the local path of a managed_fs URI. The environment of each task contains the root."""
    return os.path.join(os.environ["RUNYARD_MANAGED_FS"], uri.split(":", 1)[1].lstrip("/"))


def main(source, target):
    days, refused = read_days(local_path(source))
    print("%d days read, %d refused" % (len(days), refused))
    if not days:
        sys.exit("%s holds no usable day." % source)
    folder = local_path(target)
    os.makedirs(folder, exist_ok=True)
    for year in sorted({day["date"][:4] for day in days}):
        add_twins(year, days)
        own = [day for day in days if day["date"].startswith(year)]
        write(os.path.join(folder, "days-%s.json" % year), own)
        print("%s: %d days, first twin %s" % (year, len(own), own[0]["twin"]), flush=True)


def read_days(file):
    """Returns the days by date, and the number of refused lines: no date, no number, or a repeated date."""
    days, refused = {}, 0
    with open(file, encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            try:
                day = {"date": date.fromisoformat(line["date"]).isoformat(), "weather": line["weather"].strip()}
                day.update({name: float(line[name]) for name in NUMBERS})
            except (KeyError, TypeError, ValueError, AttributeError) as problem:
                print("refused: %s (%s)" % (line, problem), file=sys.stderr)
                refused += 1
                continue
            refused += day["date"] in days
            days.setdefault(day["date"], day)
    return [days[key] for key in sorted(days)], refused


def add_twins(year, days):
    """Finds the twin of each day of a year by the squared distance of the four measurements."""
    others = [(day["date"], *[day[name] for name in NUMBERS]) for day in days if not day["date"].startswith(year)]
    for day in (day for day in days if day["date"].startswith(year)):
        rain, high, low, wind = (day[name] for name in NUMBERS)
        distances = (
            ((r - rain) ** 2 + (h - high) ** 2 + (l - low) ** 2 + (w - wind) ** 2, other) for other, r, h, l, w in others
        )
        day["twin"] = min(distances, default=(None, None))[1]


def write(file, content):
    """Writes the file in one step: a concurrent reader sees the old file or the complete new one."""
    part = "%s.%d" % (file, os.getpid())
    with open(part, "w", encoding="utf-8") as out:
        json.dump(content, out)
    os.replace(part, file)


if __name__ == "__main__":
    main(*sys.argv[1:3])
