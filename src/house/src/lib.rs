#![doc = "fairshoe: house"]
