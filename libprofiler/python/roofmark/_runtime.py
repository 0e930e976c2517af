"""The runtime that `roofmark` puts into the process, found as the C header finds it: by one exported object."""
import ctypes
import os


class Token(ctypes.Structure):
    """One visit of a region, opaque."""
    _fields_ = [("node", ctypes.c_void_p), ("visit", ctypes.c_uint64)]


class Site(ctypes.Structure):
    """One place that opens or closes a region."""
    _fields_ = [("name", ctypes.c_char_p), ("length", ctypes.c_uint32), ("id", ctypes.c_uint32),
                ("reserved", ctypes.c_void_p * 2)]

    @classmethod
    def of(cls, name):
        """The bytes of the name live as long as the site does."""
        encoded = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
        return cls(encoded, len(encoded), 0)


# Functions of Python's own kind: they are short, and giving the interpreter's lock away would cost more than they do.
_CONNECT = ctypes.PYFUNCTYPE(ctypes.c_int)
_ENTER = ctypes.PYFUNCTYPE(Token, ctypes.POINTER(Site))
_LEAVE = ctypes.PYFUNCTYPE(None, Token)
_ENTER_NAME = ctypes.PYFUNCTYPE(Token, ctypes.c_char_p, ctypes.c_size_t)
_LEAVE_SITE = ctypes.PYFUNCTYPE(None, ctypes.POINTER(Site))
_DECLARE = ctypes.PYFUNCTYPE(None, Token, ctypes.c_double, ctypes.c_double)
_DETACH = ctypes.PYFUNCTYPE(None)


class _Table(ctypes.Structure):
    """`roofmark_api` of roofmark.h: frozen, it grows at its end only."""
    _fields_ = [("abi", ctypes.c_uint32), ("size", ctypes.c_uint32), ("connect", _CONNECT), ("enter", _ENTER), ("leave", _LEAVE),
                ("enter_name", _ENTER_NAME), ("leave_site", _LEAVE_SITE), ("declare", _DECLARE), ("detach_thread", _DETACH)]


class _Api:
    """The entries of a connected table. They are read after connect(), which may replace them."""

    def __init__(self, table):
        self.enter = table.enter
        self.leave_site = table.leave_site
        self.declare = table.declare
        self.detach_thread = table.detach_thread


_ASK = object()
_found = _ASK  # not asked yet; None: no runtime; else its entries


def _table():
    if os.name != "posix":
        return None
    try:
        table = _Table.in_dll(ctypes.CDLL(None), "roofmark_api_v1")
    except (ValueError, OSError):
        return None
    return table if table.abi == 1 and table.size >= ctypes.sizeof(_Table) else None


def there():
    """Whether a runtime is in the process. Asks for no recording yet: a process that only imports makes none."""
    return _found is not None and (_found is not _ASK or _table() is not None)


def attach():
    """Asks again. The entries, or None."""
    global _found
    if _found is _ASK or _found is None:
        table = _table()
        _found = _Api(table) if table is not None and table.connect() else None
    return _found


def connected():
    """The entries, or None."""
    return attach() if _found is _ASK else _found
