"""Program of the tasks of the chaos suite: records its start, behaves as specified, and records its exit."""
import hashlib, json, os, random, signal, subprocess, sys, time

spec, attempt = json.loads(sys.argv[1]), sys.argv[2]
record_path = os.path.join(os.environ["RUNYARD_MANAGED_FS"], "records", os.environ["RUNYARD_RUN_ID"])


def record(*words):
    # Each line is one append: two processes of one attempt leave two lines.
    with open(record_path, "ab", buffering=0) as file:
        file.write((" ".join(map(str, words)) + "\n").encode())


record("start", os.getpid(), int(time.time() * 1000), attempt)
hashes = {"stdout": hashlib.sha256(), "stderr": hashlib.sha256()}


def write(stream, text):
    data = text.encode()
    getattr(sys, stream).buffer.write(data)
    hashes[stream].update(data)


def sleep(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # Shows until when a killed process was alive.
        os.utime(record_path)
        time.sleep(min(0.05, max(0, end - time.monotonic())))


def is_retry():
    return attempt == "retry" or (attempt.isdigit() and int(attempt) > 0)


if spec["behavior"] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if spec["behavior"] == "leaves-child":
    subprocess.Popen(["sleep", "600"], start_new_session=True)
words = random.Random(os.environ["RUNYARD_RUN_ID"])
for line in range(spec["lines"]):
    write("stdout" if line % 3 else "stderr", f"{line} {words.getrandbits(256):064x}\n")
sys.stdout.flush()
sys.stderr.flush()
sleep(600 if spec["behavior"] in ("hang", "stubborn") else spec["seconds"])
for line in range(spec["lines"]):
    write("stdout", f"{line} {words.getrandbits(256):064x}\n")
sys.stdout.flush()
sys.stderr.flush()
code = 3 if spec["behavior"] == "fail" or (spec["behavior"] == "fail-first" and not is_retry()) else 0
record("end", int(time.time() * 1000), code, hashes["stdout"].hexdigest(), hashes["stderr"].hexdigest())
os._exit(code)
