//! For `#[serde(with)]`: what is shared in memory and is written out where it stands.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// `Arc<T>`.
pub mod shared {
    use super::*;

    /// For `with`.
    pub fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().serialize(serializer)
    }

    /// For `with`.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}

/// A table's rules, which are written once for all tables that have them ([`crate::tables::Tables`]): here is nothing.
pub(crate) mod elsewhere {
    use super::*;
    use fairshoe_games::RuleSet;
    use serde::de::Error;
    use std::sync::LazyLock;

    /// A placeholder until the table has its own.
    static SOME: LazyLock<Option<Arc<RuleSet>>> = LazyLock::new(|| RuleSet::shipped("joy").map(Arc::new));

    pub fn serialize<S: Serializer>(_: &Arc<RuleSet>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<RuleSet>, D::Error> {
        <()>::deserialize(deserializer)?;
        SOME.clone().ok_or_else(|| Error::custom("a shipped rule set is not valid"))
    }
}

/// `Option<Arc<T>>`.
pub mod shared_or_none {
    use super::*;

    /// For `with`.
    pub fn serialize<T: Serialize, S: Serializer>(value: &Option<Arc<T>>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_deref().serialize(serializer)
    }

    /// For `with`.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<T>>, D::Error> {
        Ok(Option::<T>::deserialize(deserializer)?.map(Arc::new))
    }
}

/// `Vec<Arc<T>>`.
pub mod shared_list {
    use super::*;

    /// For `with`.
    pub fn serialize<T: Serialize, S: Serializer>(values: &[Arc<T>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Arc::as_ref))
    }

    /// For `with`.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Arc<T>>, D::Error> {
        Ok(Vec::<T>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
    }
}

/// A map whose keys are no text, as a list of pairs.
pub mod pairs {
    use super::*;

    /// For `with`.
    pub fn serialize<'m, K, V, M, S>(map: &'m M, serializer: S) -> Result<S::Ok, S::Error>
    where
        K: Serialize + 'm,
        V: Serialize + 'm,
        &'m M: IntoIterator<Item = (&'m K, &'m V)>,
        S: Serializer,
    {
        serializer.collect_seq(map)
    }

    /// For `with`.
    pub fn deserialize<'de, K, V, M, D>(deserializer: D) -> Result<M, D::Error>
    where
        K: Deserialize<'de>,
        V: Deserialize<'de>,
        M: FromIterator<(K, V)>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
