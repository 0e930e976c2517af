"""Documents of JSON, and the schemas of docs/ that they are held to."""
import json
import pathlib
import sys

try:
    import jsonschema
    Validator = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    Validator = None

missing = "python3-jsonschema with draft 2020-12 is not installed"


def require_validator():
    """Ends a test program that is nothing without one; 77 says that it was skipped."""
    if Validator is None:
        print("skipped: " + missing)
        sys.exit(77)


def parse(text, name="the document"):
    """What Python takes and JSON does not have is refused: a key that stands twice, NaN, Infinity."""
    def no_duplicates(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"{name}: duplicate key among {keys}"
        return dict(pairs)

    def no_constant(constant):
        raise ValueError(f"{name}: {constant} is not JSON")

    return json.loads(text, object_pairs_hook=no_duplicates, parse_constant=no_constant)


def load(path):
    return parse(pathlib.Path(path).read_text(encoding="utf-8"), path)


def tree_errors(profile):
    """What a schema cannot say of the regions: each path stands once, and below one that is there."""
    def path_of(region):
        names = region.get("path", [])
        written = region.get("name_bytes", [])
        return tuple((name, written[i] if i < len(written) else None) for i, name in enumerate(names))

    paths = [path_of(region) for region in profile.get("regions", [])]
    known = set(paths)
    found = [f"{len(paths) - len(known)} paths stand twice"] if len(known) < len(paths) else []
    return found + [f"no region is above {path}" for path in paths if len(path) > 1 and path[:-1] not in known]


class Schema:
    """A schema file. Members that it leaves to another file are held to that one: how libraries resolve such a reference
    differs between their versions."""

    def __init__(self, path):
        path = pathlib.Path(path)
        schema = load(path)
        self.elsewhere = {}
        for name, value in schema.get("properties", {}).items():
            reference = value.get("$ref", "")
            if reference.endswith(".json"):
                self.elsewhere[name] = Schema(path.parent / reference)
                schema["properties"][name] = {}
        Validator.check_schema(schema)
        self.schema = schema
        self.validator = Validator(schema)

    def part(self, definition):
        """One of its definitions as a schema of its own."""
        return Validator({**self.schema["$defs"][definition], "$defs": self.schema["$defs"]})

    def errors(self, document):
        found = [f"{e.json_path}: {e.message[:200]}" for e in self.validator.iter_errors(document)]
        for name, schema in self.elsewhere.items():
            if isinstance(document, dict) and name in document:
                found += [f"{name} {error}" for error in schema.errors(document[name])]
        if isinstance(document, dict) and str(document.get("schema", "")).startswith("roofmark-profile/"):
            found += tree_errors(document)
        return found

    def accepts(self, document):
        return not self.errors(document)
