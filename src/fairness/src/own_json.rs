//! A large type's JSON, read and written only in the crate that owns the type, and compiled only there.

/// Builds a type's `Deserialize` and `Serialize` from two functions of its own crate.
///
/// serde's derived code is generic: each crate that reads or writes a type compiles the code of every type inside it
/// again. With this macro, a type that contains this one passes its text to those two functions. Declare the type with
/// `#[serde(remote = "Self")]`, which turns the derived code into inherent functions. A type of the same crate that is
/// read often names them by `#[serde(with = "Type")]` and needs no text. The type can only be read from and written to
/// JSON. `own_json!(Type, streamed)` is for one whose text may be long: `write_json` writes it without holding it whole.
#[macro_export]
macro_rules! own_json {
    ($type:ty) => {
        $crate::own_json!(@both $type);

        impl $type {
            /// Its JSON text.
            ///
            /// # Errors
            /// It holds a value that JSON cannot hold.
            pub fn to_json(&self) -> Result<String, serde_json::Error> {
                String::from_utf8(self.json_bytes(128)?).map_err(serde::ser::Error::custom)
            }

            /// The same as bytes, with room for so many from the beginning.
            ///
            /// # Errors
            /// It holds a value that JSON cannot hold.
            pub fn json_bytes(&self, room: usize) -> Result<Vec<u8>, serde_json::Error> {
                let mut json = Vec::with_capacity(room);
                <$type>::serialize(self, &mut serde_json::Serializer::new(&mut json))?;
                Ok(json)
            }
        }
    };
    ($type:ty, streamed) => {
        $crate::own_json!(@both $type);

        impl $type {
            /// Writes its JSON text, piece by piece.
            ///
            /// # Errors
            /// The writer's; or it holds a value that JSON cannot hold.
            pub fn write_json(&self, to: &mut dyn std::io::Write) -> Result<(), serde_json::Error> {
                <$type>::serialize(self, &mut serde_json::Serializer::new(to))
            }

            /// Its JSON text.
            ///
            /// # Errors
            /// It holds a value that JSON cannot hold.
            pub fn to_json(&self) -> Result<String, serde_json::Error> {
                let mut json = Vec::new();
                self.write_json(&mut json)?;
                String::from_utf8(json).map_err(serde::ser::Error::custom)
            }
        }
    };
    (@both $type:ty) => {
        impl $type {
            /// Reads the value from its JSON; does not check its consistency.
            ///
            /// # Errors
            /// The JSON does not have this form.
            pub fn parse_json(json: &[u8]) -> Result<Self, serde_json::Error> {
                let mut json = serde_json::Deserializer::from_slice(json);
                let value = <$type>::deserialize(&mut json)?;
                json.end()?;
                Ok(value)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let json: Box<serde_json::value::RawValue> = serde::Deserialize::deserialize(deserializer)?;
                <$type>::parse_json(json.get().as_bytes()).map_err(serde::de::Error::custom)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let json = self.to_json().map_err(serde::ser::Error::custom)?;
                let json = serde_json::value::RawValue::from_string(json).map_err(serde::ser::Error::custom)?;
                serde::Serialize::serialize(&json, serializer)
            }
        }
    };
}
