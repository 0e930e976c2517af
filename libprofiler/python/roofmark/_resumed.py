"""Regions around functions that run in pieces: a generator, a coroutine. Each piece is a visit, so that what runs between
two of them is not in the region."""
import functools
import inspect
import types


def _pieces(region, running):
    """Runs a generator or coroutine to its end, each resumption in the region; what it yields and gets passes through."""
    resume, value = running.send, None
    while True:
        try:
            with region:
                item = resume(value)
        except StopIteration as end:
            return end.value
        try:
            resume, value = running.send, (yield item)
        except GeneratorExit:
            with region:
                running.close()
            raise
        except BaseException as error:  # pylint: disable=broad-except
            resume, value = running.throw, error


class _Awaited:
    """Something that can be awaited, in pieces."""

    def __init__(self, region, awaitable):
        self._pieces = _pieces(region, awaitable)

    def __await__(self):
        return self._pieces


def _is_awaitable_generator(function):
    """What types.coroutine() makes of a generator function."""
    return bool(getattr(getattr(function, "__code__", None), "co_flags", 0) & inspect.CO_ITERABLE_COROUTINE)


def _around_asynchronous_generator(function, region):
    async def wrapper(*arguments, **named):
        running = function(*arguments, **named)
        resume, value = running.asend, None
        while True:
            try:
                item = await _Awaited(region, resume(value))
            except StopAsyncIteration:
                return
            try:
                resume, value = running.asend, (yield item)
            except GeneratorExit:
                await _Awaited(region, running.aclose())
                raise
            except BaseException as error:  # pylint: disable=broad-except
                resume, value = running.athrow, error
    return wrapper


def _around_coroutine(function, region):
    async def wrapper(*arguments, **named):
        return await _Awaited(region, function(*arguments, **named))
    return wrapper


def _around_generator(function, region):
    def wrapper(*arguments, **named):
        return (yield from _pieces(region, function(*arguments, **named)))
    return types.coroutine(wrapper) if _is_awaitable_generator(function) else wrapper


def _around_function(function, region):
    def wrapper(*arguments, **named):
        with region:
            return function(*arguments, **named)
    return wrapper


def wrap(function, region):
    """The function with the region around each of its runs, of the same kind as it was."""
    for is_kind, around in ((inspect.isasyncgenfunction, _around_asynchronous_generator),
                            (inspect.iscoroutinefunction, _around_coroutine),
                            (inspect.isgeneratorfunction, _around_generator)):
        if is_kind(function):
            return functools.wraps(function)(around(function, region))
    return functools.wraps(function)(_around_function(function, region))
