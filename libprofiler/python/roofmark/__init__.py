"""Regions of a Python program for Roofmark, in pure Python. Does nothing where no Roofmark runs.

    import roofmark

    with roofmark.region("solve"):
        roofmark.declare(flop=2 * n, bytes=24 * n)
        ...

    @roofmark.region("spmv")
    def spmv(matrix, x): ...

    @roofmark.function
    def assemble(): ...

A region must not be left open across a `yield` or an `await`: what runs meanwhile would lie in it. Decorated generators,
coroutines and asynchronous generators are right by themselves: each resumption is a visit.

SPDX-License-Identifier: BSD-3-Clause
"""
import functools as _functools

from . import _resumed, _runtime

__all__ = ["attach", "declare", "detach_thread", "function", "region"]
__version__ = "0.1.0"


class _Region:
    """A region's name, for `with` and as a decorator. Keeps nothing of a visit: one object serves threads and recursion."""

    __slots__ = ("_name", "_site")

    def __init__(self, name):
        self._name = name
        self._site = None

    def __enter__(self):
        api = _runtime.connected()
        if api is not None:
            if self._site is None:
                self._site = _runtime.Site.of(self._name)
            api.enter(self._site)
        return self

    def __exit__(self, *_):
        if self._site is not None:
            _runtime.connected().leave_site(self._site)
        return False

    def __call__(self, function):
        """The function with a region around each of its runs; the function itself where there is no runtime."""
        return _resumed.wrap(function, self) if _runtime.there() else function

    def __repr__(self):
        return f"roofmark.region({self._name!r})"


@_functools.lru_cache(maxsize=4096)
def region(name):
    """The region of that name (str or bytes), for a `with` statement or as a decorator."""
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"a region's name is a str or bytes, not {type(name).__name__}; a function is decorated by roofmark.function")
    return _Region(name)


def function(wrapped):
    """Decorator: a region that is named as the function is."""
    return region(wrapped.__qualname__)(wrapped)


def declare(flop=0, bytes=0):  # pylint: disable=redefined-builtin
    """Adds FLOPs and bytes, by your own count, to the innermost open region of this thread."""
    api = _runtime.connected()
    if api is not None:
        api.declare(_runtime.Token(), flop, bytes)


def detach_thread():
    """This thread's regions no longer hang below those of the thread that made it."""
    api = _runtime.connected()
    if api is not None:
        api.detach_thread()


def attach():
    """Looks for a runtime again, where "there is none" was found before. Whether it records now. What was decorated before
    stays without regions."""
    return _runtime.attach() is not None
