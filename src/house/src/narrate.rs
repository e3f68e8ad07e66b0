/// x
pub fn narrate() {}
