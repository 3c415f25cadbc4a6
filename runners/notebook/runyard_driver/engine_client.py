"""Sends requests to the engine through files. They survive a restart of the engine, unlike a socket."""

import json
import os
import time
import uuid


class EngineClient:
    """`directory`: holds requests (`<key>.json`) and answers (`<key>.answer`)."""

    def __init__(self, directory):
        self.directory = directory

    def request(self, body):
        """Sends a request and waits for the answer without a time limit. The key identifies the request."""
        key = uuid.uuid4().hex
        os.makedirs(self.directory, exist_ok=True)
        request_file = os.path.join(self.directory, key + ".json")
        with open(request_file + ".part", "w", encoding="utf-8") as part:
            json.dump(body, part)
        os.replace(request_file + ".part", request_file)
        answer_file = os.path.join(self.directory, key + ".answer")
        pause = 0.01
        while not os.path.exists(answer_file):
            time.sleep(pause)
            pause = min(pause * 1.2, 0.5)
        with open(answer_file, encoding="utf-8") as file:
            return json.load(file)
