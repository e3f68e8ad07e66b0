//! JSON with fields in the order written and lists of plain values on one line, so that a vector
//! can be read and compared by eye.

use std::fmt::{Display, Write};

#[derive(Clone)]
pub enum Json {
    Object(Vec<(&'static str, Json)>),
    List(Vec<Json>),
    Plain(String),
}

pub fn obj<const N: usize>(fields: [(&'static str, Json); N]) -> Json {
    Json::Object(fields.into())
}

pub fn list(items: impl IntoIterator<Item = Json>) -> Json {
    Json::List(items.into_iter().collect())
}

pub fn number(value: impl Into<i64>) -> Json {
    Json::Plain(value.into().to_string())
}

/// An unsigned number below 2^53, where every reader of JSON still agrees on it.
pub fn count(value: u64) -> Json {
    assert!(value < 1 << 53);
    Json::Plain(value.to_string())
}

pub fn truth(value: bool) -> Json {
    Json::Plain(value.to_string())
}

pub fn text(value: impl Display) -> Json {
    let mut out = String::from("\"");
    for c in value.to_string().chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("writing to a string");
                }
            }
        }
    }
    out.push('"');
    Json::Plain(out)
}

pub fn hex(bytes: &[u8]) -> Json {
    text(hex::encode(bytes))
}

impl Json {
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    /// Short values go on one line: lists of plain values, and objects that hold only plain values.
    fn is_flat(&self) -> bool {
        match self {
            Self::Plain(_) => true,
            Self::List(items) => items.iter().all(|i| matches!(i, Self::Plain(_))),
            Self::Object(fields) => fields.len() <= 3 && fields.iter().all(|(_, v)| matches!(v, Self::Plain(_))),
        }
    }

    fn write(&self, out: &mut String, depth: usize) {
        let (open, close) = match self {
            Self::Plain(plain) => return out.push_str(plain),
            Self::Object(_) => ('{', '}'),
            Self::List(_) => ('[', ']'),
        };
        let items: Vec<(Option<&str>, &Json)> = match self {
            Self::Object(fields) => fields.iter().map(|(k, v)| (Some(*k), v)).collect(),
            Self::List(items) => items.iter().map(|v| (None, v)).collect(),
            Self::Plain(_) => vec![],
        };
        let flat = self.is_flat();
        out.push(open);
        for (at, (key, value)) in items.iter().enumerate() {
            if at > 0 {
                out.push_str(if flat { ", " } else { "," });
            }
            if !flat {
                out.push('\n');
                out.push_str(&"  ".repeat(depth + 1));
            }
            if let Some(key) = key {
                write!(out, "\"{key}\": ").expect("writing to a string");
            }
            value.write(out, depth + 1);
        }
        if !flat && !items.is_empty() {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
        out.push(close);
    }
}
