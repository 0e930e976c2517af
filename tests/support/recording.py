"""A program under `roofmark record`, and what the profile says of its regions."""
import json
import os
import pathlib
import subprocess
import tempfile

PATIENCE_S = 120  # that any one command may take on a busy machine


class Recording:
    """Runs the command once natively and, with counters="emulated", once more to be counted."""

    def __init__(self, roofmark, command, counters="none", options=(), expect=0, cwd=None, **environment):
        surroundings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        surroundings.update(environment)
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder, "profile.json")
            done = subprocess.run([roofmark, "record", "--counters", counters, "--no-machine", "-o", str(profile), *options,
                                   "--", *command], capture_output=True, check=False, timeout=PATIENCE_S, cwd=cwd,
                                  stdin=subprocess.DEVNULL, env=surroundings)
            self.status = done.returncode
            self.output, self.messages = done.stdout.decode(), done.stderr.decode(errors="replace")
            if self.status != expect:
                raise AssertionError(f"{command} ended with {self.status}: {self.output}{self.messages}")
            self.profile = json.loads(profile.read_text())
        self.regions = {}
        for region in self.profile["regions"]:
            path = tuple(region["path"])
            assert path not in self.regions, f"two rows for {path}"
            self.regions[path] = region
        self.notes = self.profile.get("notes", [])

    def paths(self):
        """All regions that were marked: not the whole program, and no function that was found by sampling."""
        return sorted(path for path, region in self.regions.items() if path and "found_by" not in region)

    def visits(self):
        return {path: region["visits"] for path, region in self.regions.items() if path and "found_by" not in region}

    def region(self, *path):
        assert path in self.regions, f"no region {path}, there are {self.paths()}"
        return self.regions[path]

    def flop(self, *path, precision="f64"):
        """As it was counted; 0 where no instruction of that precision was."""
        region = self.region(*path)
        assert "flop" in region and "bytes" in region and "L1" in region["bytes"], f"{path} was not counted: {region}"
        return region["flop"].get(precision, {"value": 0})["value"]

    def self_flop(self, *path, precision="f64"):
        return self.region(*path)["self"]["flop"].get(precision, {"value": 0})["value"]

    def declared(self, *path):
        work = self.region(*path).get("declared", {})
        bytes_ = work.get("bytes", {})
        return work.get("flop", {}).get("value"), bytes_.get("value") if "value" in bytes_ else bytes_

    def flags(self, *path):
        return self.region(*path).get("flags", [])
