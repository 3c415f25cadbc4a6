import org.apache.spark.sql.{SparkSession, functions => f}

/** Prints the hottest and the wettest day: Records <folder of the days>. */
object Records {
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder().appName("records").getOrCreate()
    val days = spark.read.parquet(args(0))
    for (column <- Seq("temp_max", "precipitation")) {
      val day = days.orderBy(f.desc(column), f.asc("date")).select(f.date_format(f.col("date"), "yyyy-MM-dd"), f.col(column)).first()
      println(s"highest $column: ${day.get(1)} on ${day.get(0)}")
    }
  }
}
