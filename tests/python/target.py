#!/usr/bin/env python3
"""Regions in Python, one scenario a run: how often each is entered is known exactly."""
import asyncio
import os
import sys
import threading
import types

import roofmark


def nested():
    with roofmark.region("solve"):
        roofmark.declare(flop=600, bytes=2400)
        for _ in range(3):
            with roofmark.region("step"):
                roofmark.declare(flop=100)
                roofmark.declare(bytes=0.5 + 0.5)


def names():
    with roofmark.region("with blanks, Löser 計算 \U0001f600"):
        with roofmark.region(b"bytes"):
            pass
    with roofmark.region("bytes"):
        pass
    with roofmark.region(""):
        pass
    with roofmark.region(b"not \xff UTF-8"):
        pass
    try:
        roofmark.region(3)
    except TypeError as error:
        assert "int" in str(error)
    else:
        raise AssertionError("a number is no name")


@roofmark.region("decorated")
def decorated(value, *, more=0):
    """Its own words."""
    return value + more


class Solver:
    @roofmark.function
    def run(self, depth):
        return 0 if depth == 0 else 1 + self.run(depth - 1)

    @staticmethod
    @roofmark.region("static")
    def fixed():
        raise KeyError("its own")


def decorators():
    assert decorated(1, more=2) == 3
    assert decorated.__name__ == "decorated" and decorated.__doc__ == "Its own words."
    assert Solver().run(2) == 2
    try:
        Solver.fixed()
    except KeyError as error:
        assert error.args == ("its own",)
    else:
        raise AssertionError("the exception is gone")
    with roofmark.region("after"):
        pass


@roofmark.region("generator")
def numbers(count):
    got = []
    try:
        for i in range(count):
            got.append((yield i))
    except ValueError as error:
        yield error.args[0]
    finally:
        with roofmark.region("cleanup"):
            pass
    return got


def generators():
    with roofmark.region("loop"):
        for _ in numbers(2):  # three resumptions
            with roofmark.region("body"):
                pass
    running = numbers(5)  # three: start, a value, an exception
    assert next(running) == 0
    assert running.send("x") == 1
    assert running.throw(ValueError("caught")) == "caught"
    running.close()  # and one more
    def outer():
        return (yield from numbers(1))
    running = outer()  # two
    next(running)
    try:
        running.send("last")
    except StopIteration as end:
        assert end.value == ["last"]


@roofmark.region("coroutine")
async def add(value):
    await asyncio.sleep(0)
    return value + 1


@roofmark.region("asynchronous generator")
async def ticks(count):
    try:
        for i in range(count):
            await asyncio.sleep(0)
            got = yield i
            assert got is None or got == "sent"
    except ValueError as error:
        yield error.args[0]


@roofmark.region("old coroutine")
@types.coroutine
def old():
    yield


async def asynchronous():
    # Two interleaved: each has a resumption before and one behind its sleep.
    assert await asyncio.gather(add(1), add(2)) == [2, 3]
    assert [i async for i in ticks(2)] == [0, 1]
    running = ticks(3)
    assert await running.asend(None) == 0
    assert await running.asend("sent") == 1
    assert await running.athrow(ValueError("caught")) == "caught"
    await running.aclose()
    await old()


def threads():
    def work(times):
        for _ in range(times):
            with roofmark.region("shared"):
                with roofmark.region("shared"):
                    pass
    with roofmark.region("pool"):
        team = [threading.Thread(target=work, args=(100,)) for _ in range(4)]
        for thread in team:
            thread.start()
        for thread in team:
            thread.join()
    def alone():
        roofmark.detach_thread()
        with roofmark.region("detached"):
            pass
    with roofmark.region("other"):
        thread = threading.Thread(target=alone)
        thread.start()
        thread.join()


def fork():
    with roofmark.region("before"):
        child = os.fork()
        if child == 0:
            with roofmark.region("child"):
                pass
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0
    with roofmark.region("behind"):
        pass


def imported():
    pass


def active():
    print("recording" if roofmark.attach() else "not recording")


def undecorated():
    """Where there is no runtime a decorated function is the function itself."""
    def plain():
        pass
    assert roofmark.region("x")(plain) is plain
    assert roofmark.function(plain) is plain


def cost():
    import timeit
    number = 200000
    body = roofmark.region("cost")
    def marked():
        with body:
            pass
    def looked_up():
        with roofmark.region("cost"):
            pass
    empty = min(timeit.repeat(lambda: None, number=number, repeat=5))
    for name, function in (("kept", marked), ("by name", looked_up), ("decorated", roofmark.region("cost")(lambda: None))):
        print(f"{name}: {(min(timeit.repeat(function, number=number, repeat=5)) - empty) / number * 1e9:.0f} ns")


if __name__ == "__main__":
    scenario = globals()[sys.argv[1]]
    if asyncio.iscoroutinefunction(scenario):
        asyncio.run(scenario())
    else:
        scenario()
    print("ran")
