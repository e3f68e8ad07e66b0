#![doc = "fairshoe: tlog"]
