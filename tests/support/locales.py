"""A locale with decimal commas for the programs under test, made where the system has none."""
import pathlib
import shutil
import subprocess
import sys


def with_commas(environment, folder):
    """The environment in which 1.5 is printed as "1,5"; without it, when there is none, after saying so."""
    made = {**environment, "LC_ALL": "de_DE.UTF-8"}
    if not _has_commas(made) and shutil.which("localedef"):
        path = pathlib.Path(folder) / "locales"
        path.mkdir(exist_ok=True)
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(path / "de_DE.UTF-8")], capture_output=True, check=False)
        made["LOCPATH"] = str(path)
    if _has_commas(made):
        return made
    print("SKIPPED locale with decimal commas | de_DE.UTF-8 is not installed, and localedef can't make it")
    return None


def _has_commas(environment):
    code = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, encoding="utf-8", check=False)
    return told.stdout.strip() == ","
