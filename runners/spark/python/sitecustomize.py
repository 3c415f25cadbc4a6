"""Runs at the start of every Python process of a task with Spark, then the sitecustomize of the system, if any."""

import importlib.machinery
import importlib.util
import json
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_stores = os.environ.get("RUNYARD_SPARK_STORES")
if _stores:
    import runyard_spark_paths

    runyard_spark_paths.install(json.loads(_stores))

_spec = importlib.machinery.PathFinder.find_spec(
    "sitecustomize", [path for path in sys.path if os.path.abspath(path or ".") != _here]
)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
