"""Builds a JAR of a Scala file with the compiler that Spark contains.

    build_jar.py <source file> <JAR>        both as managed_fs:/...
"""
import os
import subprocess
import sys


def main(source, target):
    root = os.environ["RUNYARD_MANAGED_FS"]
    source, target = (os.path.join(root, path.split(":/", 1)[1].lstrip("/")) for path in (source, target))
    jars = os.path.join(os.environ["SPARK_HOME"], "jars", "*")
    compiler = ["java", "-cp", jars, "scala.tools.nsc.Main", "-usejavacp", "-d", target, source]
    subprocess.run(compiler, check=True)
    print("built", target)


if __name__ == "__main__":
    main(*sys.argv[1:])
