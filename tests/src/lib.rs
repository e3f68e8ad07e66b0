#![doc = "fairshoe: tests"]
