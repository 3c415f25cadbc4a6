"""One task of the chaos suite: says first that it runs, does what it was told, and says last what it wrote."""
import hashlib, json, os, random, signal, subprocess, sys, time

spec, attempt = json.loads(sys.argv[1]), sys.argv[2]
mark = os.path.join(os.environ["RUNYARD_MANAGED_FS"], "marks", os.environ["RUNYARD_RUN_ID"])


def note(*words):
    # One write of an appending file: two processes of one attempt would leave two lines.
    with open(mark, "ab", buffering=0) as file:
        file.write((" ".join(map(str, words)) + "\n").encode())


note("start", os.getpid(), int(time.time() * 1000), attempt)
hashes = {"stdout": hashlib.sha256(), "stderr": hashlib.sha256()}


def say(stream, text):
    data = text.encode()
    getattr(sys, stream).buffer.write(data)
    hashes[stream].update(data)


def sleep(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # The last sign of life of a process that is killed.
        os.utime(mark)
        time.sleep(min(0.05, max(0, end - time.monotonic())))


def again():
    return attempt == "retry" or (attempt.isdigit() and int(attempt) > 0)


if spec["act"] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if spec["act"] == "leaves-child":
    subprocess.Popen(["sleep", "600"], start_new_session=True)
words = random.Random(os.environ["RUNYARD_RUN_ID"])
for line in range(spec["lines"]):
    say("stdout" if line % 3 else "stderr", f"{line} {words.getrandbits(256):064x}\n")
sys.stdout.flush()
sys.stderr.flush()
sleep(600 if spec["act"] in ("hang", "stubborn") else spec["seconds"])
for line in range(spec["lines"]):
    say("stdout", f"{line} {words.getrandbits(256):064x}\n")
sys.stdout.flush()
sys.stderr.flush()
code = 3 if spec["act"] == "fail" or (spec["act"] == "fail-first" and not again()) else 0
note("end", int(time.time() * 1000), code, hashes["stdout"].hexdigest(), hashes["stderr"].hexdigest())
os._exit(code)
