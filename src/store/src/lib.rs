#![doc = "fairshoe: store"]
