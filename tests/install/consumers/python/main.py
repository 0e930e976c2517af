#!/usr/bin/env python3
import roofmark

with roofmark.region("from_python"):
    roofmark.declare(flop=1000, bytes=8000)
print("ran")
