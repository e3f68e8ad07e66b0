//! JSON with one reading only: no field of an object twice, and only integers from 0 to 2^53 − 1.

use crate::amount::MAX_AMOUNT;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Checks such JSON and drops its content.
pub struct Plain;

struct Walk;

impl<'de> Visitor<'de> for Walk {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("integers from 0 to 2^53 - 1, texts, lists, objects")
    }

    fn visit_unit<E: Error>(self) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Plain, E> {
        Ok(Plain)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Plain, E> {
        if number <= MAX_AMOUNT { Ok(Plain) } else { Err(E::custom(format_args!("{number} is above 2^53 - 1"))) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Plain, A::Error> {
        while items.next_element::<Plain>()?.is_some() {}
        Ok(Plain)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Plain, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some((name, Plain)) = fields.next_entry::<String, Plain>()? {
            if seen.contains(&name) {
                return Err(A::Error::custom(format_args!("the field {name} stands twice in one object")));
            }
            seen.insert(name);
        }
        Ok(Plain)
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Plain, D::Error> {
        deserializer.deserialize_any(Walk)
    }
}
