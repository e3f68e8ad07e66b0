#![doc = "fairshoe: games"]
