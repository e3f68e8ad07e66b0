//! The types of commands and events are the words of spec/words.md: the same words, the same fields in the same order,
//! and no others. The examples are made of that page by src/api/contract/bundle.js.

use fairshoe_house::Entry;
use serde_json::Value;
use std::collections::BTreeSet;

/// An entry with this in the place of `%`.
fn decoded(place: &str, word: &str, fields: &str) -> Result<Entry, String> {
    let entry = place.replace('%', &format!(r#"{{"{word}":{fields}}}"#));
    Entry::decode(entry.as_bytes()).map_err(|why| why.to_string())
}

/// The words that the types know there: what is said of one that they do not.
fn known(place: &str) -> BTreeSet<String> {
    let why = decoded(place, "zzz", "{}").unwrap_err();
    let list = why.split_once("expected ").unwrap_or_else(|| panic!("{place}: {why}")).1;
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_types_are_the_words_of_the_page() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/words.json");
    let page: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for (choice, words) in page["words"].as_object().unwrap() {
        let (place, words) = (page["entries"][choice].as_str().unwrap(), words.as_object().unwrap());
        assert_eq!(known(place), words.keys().cloned().collect(), "{choice}");
        for (word, sample) in words.iter().filter(|(_, sample)| !sample.is_null()) {
            for (is_read, key) in [(true, "read"), (false, "refused")] {
                for fields in sample[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap()) {
                    let result = decoded(place, word, fields);
                    tried += 1;
                    if result.is_ok() != is_read {
                        wrong.push(format!("{word} {fields}: {:?}", result.err()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 800, "{tried}");
}
