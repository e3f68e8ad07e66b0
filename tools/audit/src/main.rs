#![doc = "fairshoe"]
fn main() {}
