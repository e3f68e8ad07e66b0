//! A null in a body, which serde takes for a field that is left out.

/// Whether a field is null of this object, which is JSON; options of rule sets may be. *A body of nulls would cost a second
/// parse of all of it.*
pub fn has_null(body: &[u8]) -> bool {
    let (mut depth, mut field, mut bytes) = (0usize, &[][..], body.iter().enumerate());
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let mut is_escaped = false;
                let end = bytes.find(|(_, byte)| {
                    let ends = **byte == b'"' && !is_escaped;
                    is_escaped = **byte == b'\\' && !is_escaped;
                    ends
                });
                // Between a field's name and what is within it there is no other text so far up.
                if depth == 1 {
                    field = end.and_then(|(end, _)| body.get(at.saturating_add(1)..end)).unwrap_or_default();
                }
            }
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            // Outside of text nothing else has this letter.
            b'n' if field != b"options" => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_is_found_wherever_it_is_but_in_options_and_in_text() {
        for body in [
            r#"{"a":null}"#,
            r#"{"options":{"a":null},"b":null}"#,
            r#"{"a":{"options":null}}"#,
            r#"{"a":[1,[null]]}"#,
            r#" { "options" : { } , "a\\" : [ { "b" : null } ] } "#,
            r#"{"rules":"options","table":null}"#,
            r#"{"a":"\"","b":null}"#,
        ] {
            assert!(has_null(body.as_bytes()), "{body}");
        }
        for body in [
            "{}",
            r#"{"options":null}"#,
            r#"{"options":{"a":null,"b":[{"c":null}]},"d":"null","null":1}"#,
            r#"{"a":"\",null,\"","b":[true,false,1e5,"n"]}"#,
        ] {
            assert!(!has_null(body.as_bytes()), "{body}");
        }
    }
}
