"""The scripted server ends everything that it started."""

import json
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import pytest
from server.scripted import Reply, ScriptedServer, answer, hang


def post(url: str) -> dict:
    data = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
    with urllib.request.urlopen(f"{url}/chat/completions", data, timeout=10) as response:
        return json.load(response)


def test_replies_follow_the_script_and_the_last_repeats():
    with ScriptedServer([answer("a"), answer("b")]) as server:
        texts = [post(server.url)["choices"][0]["message"]["content"] for _ in range(3)]
    assert texts == ["a", "b", "b"]
    assert [asked.number for asked in server.asked] == [0, 1, 2]


def test_leaving_ends_hanging_replies_and_all_threads():
    before = threading.active_count()
    with ThreadPoolExecutor() as pool:
        with ScriptedServer(lambda asked: Reply(delay=0) if asked.number else hang()) as server:
            pending = pool.submit(post, server.url)
            while not server.asked:
                time.sleep(0.01)
            started = time.monotonic()
        assert time.monotonic() - started < 2
        with pytest.raises((OSError, HTTPException)):
            pending.result(timeout=5)
    assert threading.active_count() == before
