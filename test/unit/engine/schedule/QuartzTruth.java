/*
 * Asks the real Quartz scheduler when expressions fire, and writes what it answers as a table: truth from outside for
 * engine/schedule. Needs a JDK and the jar of Quartz 2.3.2 (Debian: libquartz2-java), neither of which the project has:
 *
 *   java -cp /usr/share/java/quartz2.jar test/engine/schedule/QuartzTruth.java > test/engine/schedule/quartz-truth.txt
 *
 * A line is `expression|zone|after|fires`: `after` in epoch seconds, `fires` the next ones, each as seconds after the one
 * before; `never` when there is none, `ERROR` when Quartz refuses the expression. The same seed gives the same table.
 */
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import org.quartz.CronExpression;

public class QuartzTruth {
    static final Random random = new Random(20261120);
    static final long friday = Instant.parse("2026-11-20T11:41:05Z").getEpochSecond();
    static final StringBuilder out = new StringBuilder();
    static final Set<String> written = new TreeSet<>();

    /** Zones whose rules differ between the tables of this Java and later ones. */
    static final Set<String> disputed = Set.of("Africa/Casablanca", "Africa/El_Aaiun", "America/Edmonton", "America/Vancouver",
        "America/Yellowknife", "Canada/Mountain", "Canada/Pacific", "Europe/Chisinau", "Europe/Tiraspol");

    public static void main(String[] words) {
        out.append("# rules\n");
        for (String expression : rules()) add(expression, "UTC", friday, 4);
        List<String> zones = new ArrayList<>();
        for (String id : new TreeSet<>(List.of(TimeZone.getAvailableIDs()))) if (!disputed.contains(id)) zones.add(id);
        for (String zone : zones) add("0 30 2 * * ?", zone, friday, 2);
        out.append("# random\n");
        for (int count = 0; count < 2500; count += 1) add(randomExpression(), any(zones), randomInstant(), 3);
        out.append("# clock changes\n");
        for (String zone : zones) changes(zone);
        out.append("# damaged\n");
        for (int count = 0; count < 900; count += 1) add(damaged(randomExpression()), "UTC", friday, 1);
        System.out.print(out);
    }

    /** Around the clock changes of two years: what stands in the hour before, in the changed time itself, and after it. */
    static void changes(String zone) {
        Instant from = Instant.parse("2026-06-01T00:00:00Z");
        for (ZoneOffsetTransition change = ZoneId.of(zone, ZoneId.SHORT_IDS).getRules().nextTransition(from);
             change != null && change.getInstant().getEpochSecond() < from.getEpochSecond() + 2 * 365 * 86400L;
             change = ZoneId.of(zone, ZoneId.SHORT_IDS).getRules().nextTransition(change.getInstant())) {
            // Where clocks leap over midnight or by more than an hour, Quartz loses up to a day of fires: nothing to follow.
            boolean erratic = change.isGap() && (change.getDuration().toMinutes() > 60
                || change.getDateTimeBefore().getDayOfYear() != change.getDateTimeAfter().getDayOfYear());
            if (change.getDuration().isZero() || erratic) continue;
            around(zone, change);
            around(zone, change);
        }
    }

    static void around(String zone, ZoneOffsetTransition change) {
        long at = change.getInstant().getEpochSecond();
        int minute = random.nextInt(60);
        int hour = Math.floorMod((change.getDateTimeBefore().getHour() + random.nextInt(3) - 1), 24);
        switch (random.nextInt(5)) {
            case 0 -> add("0 " + minute + " " + hour + " * * ?", zone, at - 90000 + random.nextInt(86400), 3);
            case 1 -> add("0 " + minute + " * * * ?", zone, at - random.nextInt(10800), 4);
            case 2 -> add("0 */15 * * * ?", zone, at - random.nextInt(7200), 5);
            case 3 -> add(random.nextInt(60) + " " + minute + "/7 " + hour + " ? * *", zone, at - 5400 + random.nextInt(10800), 4);
            default -> add("*/20 0-59 */2 * * ?", zone, at - 40 - random.nextInt(3600), 4);
        }
    }

    static void add(String expression, String zone, long after, int count) {
        if (!written.add(expression + "|" + zone + "|" + after)) return;
        StringBuilder fires = new StringBuilder();
        try {
            CronExpression cron = new CronExpression(expression);
            cron.setTimeZone(TimeZone.getTimeZone(zone));
            Date at = new Date(after * 1000);
            for (int index = 0; index < count; index += 1) {
                Date next = cron.getNextValidTimeAfter(at);
                if (next == null) break;
                if (fires.length() > 0) fires.append(' ');
                fires.append((next.getTime() - at.getTime()) / 1000);
                at = next;
            }
            if (fires.length() == 0) fires.append("never");
        } catch (java.text.ParseException | RuntimeException refused) {
            fires = new StringBuilder("ERROR");
        }
        out.append(expression).append('|').append(zone).append('|').append(after).append('|').append(fires).append('\n');
    }

    static <Value> Value any(List<Value> values) { return values.get(random.nextInt(values.size())); }
    static int between(int from, int to) { return from + random.nextInt(to - from + 1); }
    static long randomInstant() { return Instant.parse("2024-01-01T00:00:00Z").getEpochSecond() + (long) (random.nextDouble() * 10 * 365 * 86400L); }

    static final List<String> monthNames = List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    static final List<String> dayNames = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    static String randomExpression() {
        String day = "?", weekday = "?";
        if (random.nextBoolean()) day = randomDay(); else weekday = randomWeekday();
        String year = random.nextInt(6) > 0 ? "" : " " + any(List.of("*", "2027", "2026-2030", "2028/2", "2027,2031", "2024-2040/3"));
        String text = field(0, 59) + " " + field(0, 59) + " " + field(0, 23) + " " + day + " " + randomMonth() + " " + weekday + year;
        return random.nextInt(10) == 0 ? text.toLowerCase() : text;
    }

    static String field(int min, int max) {
        return switch (random.nextInt(8)) {
            case 0 -> "*";
            case 1 -> "*/" + between(1, max);
            case 2 -> between(min, max) + "/" + between(1, max);
            case 3 -> between(min, max) + "-" + between(min, max);
            case 4 -> between(min, max) + "-" + between(min, max) + "/" + between(1, max);
            case 5 -> between(min, max) + "," + between(min, max) + "," + between(min, max) + "-" + between(min, max);
            default -> "" + between(min, max);
        };
    }

    static String randomMonth() {
        return switch (random.nextInt(6)) {
            case 0 -> any(monthNames) + "-" + any(monthNames);
            case 1 -> any(monthNames) + "," + any(monthNames);
            case 2 -> field(1, 12);
            default -> "*";
        };
    }

    static String randomDay() {
        return switch (random.nextInt(9)) {
            case 0 -> "L";
            case 1 -> "L-" + between(1, 30);
            case 2 -> "LW";
            case 3 -> "L-" + between(1, 27) + "W";
            // Shorter months than the day are erratic in Quartz.
            case 4 -> between(1, 28) + "W";
            default -> field(1, 31);
        };
    }

    static String randomWeekday() {
        return switch (random.nextInt(9)) {
            case 0 -> "L";
            case 1 -> between(1, 7) + "L";
            case 2 -> any(dayNames) + "L";
            case 3 -> between(1, 7) + "#" + between(1, 5);
            case 4 -> any(dayNames) + "#" + between(1, 5);
            case 5 -> any(dayNames) + "-" + any(dayNames);
            case 6 -> any(dayNames) + "," + any(dayNames);
            default -> field(1, 7);
        };
    }

    /** One letter changed, left out or added; nothing that makes Quartz search for ever. */
    static String damaged(String expression) {
        int at = random.nextInt(expression.length());
        String letter = any(List.of("?", "/", "-", ",", "#", "9", "A", "*", " ", "6", "."));
        return switch (random.nextInt(3)) {
            case 0 -> expression.substring(0, at) + letter + expression.substring(at + 1);
            case 1 -> expression.substring(0, at) + expression.substring(at + 1);
            default -> expression.substring(0, at) + letter + expression.substring(at);
        };
    }

    /** Every rule by hand, refusals among them. */
    static List<String> rules() {
        return List.of(
            "0 15 10 ? * 6L 2027-2030", "0 15 10 ? * *", "0 15 10 * * ? 2027", "0 0/5 14,18 * * ?", "0 0-5 14 * * ?", "0 10,44 14 ? 3 WED",
            "0 15 10 ? * MON-FRI", "0 15 10 L * ?", "0 15 10 L-2 * ?", "0 15 10 ? * 6#3", "0 0 12 1/5 * ?", "0 0 0 LW * ?", "0 0 0 15W * ?",
            "0 0 0 1W * ?", "0 0 0 L-3W * ?", "0 0 0 ? * L", "0 0 0 ? * FRIL", "0 0 0 ? * 7L", "0 0 0 ? * FRI#2", "0 0 0 ? * 2#5",
            "0 0 22-2 * * ?", "0 0 22-2/2 * * ?", "0 50-10/5 * * * ?", "50-10 0 0 * * ?", "0 0 0 25-5 * ?", "0 0 0 ? * FRI-MON", "0 0 0 ? * 6-2",
            "0 0 0 1 NOV-FEB ?", "0 0 0 1 11-2 ?", "0 0 0 ? * SUN,WED,SAT", "0 0 0 ? * 1", "0 0 0 ? * 7", "0 0 0 29 2 ?", "0 0 0 30 2 ?",
            "0 0 0 31 * ?", "0 0 0 1 1/3 ?", "0/7 * * * * ?", "*/10 * * * * ?", "0 0 1/6 * * ?", "0 0 8-18/2 ? * MON-FRI", "0 0 6 1,10-12,28 * ?",
            "0 0 0 10-20/3 * ?", "0 0 0 ? * 2/2", "0 0 0 1 1 ? 2028/2", "0 0 0 1 1 ? 2027-2040/5", "0 0 0 1 1 ? 2025", "0 0 0 ? dec thu#4",
            "0 0 12 L-30 * ?", "0 0 12 15,L * ?", "0 0 0 ? * 6L,2L", "0 0 0 ? * 2#1,4#2", "0 0 0 1,LW * ?", "1-5,50 * * * * ?", "30 29 28 * * ?",
            "* * * * * *", "0 0 0 1 * 2", "0 0 0 ? * ?", "? 0 0 * * ?", "0 ? 0 * * ?", "0 0 ? * * ?", "0 0 0 * ? ?", "0 0 0 ?/2 * 2",
            "0 0 0 * *", "0 0 0 *", "", "0", "60 0 0 * * ?", "0 60 0 * * ?", "0 0 24 * * ?", "0 0 0 32 * ?", "0 0 0 0 * ?", "0 0 0 1 13 ?", "0 0 0 1 0 ?",
            "0 0 0 ? * 8", "0 0 0 ? * 0", "0 0 0 ? * MOO", "0 0 0 1 FOO ?", "0/60 * * * * ?", "0 0/60 * * * ?", "0 0 0/24 * * ?", "0 0 0 1/32 * ?",
            "0 0 0 1 1/13 ?", "0 0 0 ? * 1/8", "0 0 0 1 1 ? 2030-2027", "0 0 0 L-31 * ?", "0 0 0 ? * 2#0", "0 0 0 ? * 2#6", "0 0 0 ? * #3",
            "0 0 0 32W * ?", "0 0 0 1L * ?", "0 0 0 LL * ?", "0 0 0 L/2 * ?", "0 0 0 ? * L,2", "0 0 0 ? * 2,L", "0 0 0 ? * 8L", "/5 * * * * ?",
            "0 /15 * * * ?", "0 5/15 * * * ?", "0 0 0 */10 * ?", "0 0 0 1 */5 ?", "0 0 0 ? * */3", "0 0 0 ? * MON-WED,SAT", "0 0 0 ? JAN,MAR-MAY SUN",
            "0 0 0 ? * SAT-SUN", "0 0 0 ? * SUN-SAT", "0 0 0 1 DEC-DEC ?", "0 0 23-0 * * ?", "0 0 5-5 * * ?", "59-0 59 23 * * ?", "0 0 0 1 1 ? 1970-2299",
            "0 0 0 L 2 ?", "0 0 0 LW 2 ?", "0 0 0 L-1 2 ?", "0 0 0 ? 2 1#5", "0 0 0 ? * 1L", "0 0 0 ? * SATL", "0 0 0 31 4 ?", "0 0 0 28W 2 ?",
            "0 0 0 1 1 ? 2027,2029", "0 0 0 1 1 ? 2126", "0 0 0 1 1 ? 2127", "0 0 0 ? 1 MON 2027/3", "\t0  0 \t12 * * ? ");
    }
}
