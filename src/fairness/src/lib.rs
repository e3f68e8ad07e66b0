#![doc = "fairshoe: fairness"]
