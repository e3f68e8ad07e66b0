//! `fairness-draws.json`: the stream of a key, and `below` with words thrown away.

use std::num::NonZeroU16;

use fairshoe_fairness::{Stream, accept_word};

use super::REJECTING_KEY;
use super::json::{Json, count, hex, list, number, obj, text};

fn m(m: u16) -> NonZeroU16 {
    NonZeroU16::new(m).expect("not zero")
}

fn key(last: u64) -> [u8; 32] {
    let mut key = [0; 32];
    key[24..].copy_from_slice(&last.to_be_bytes());
    key
}

fn words(words: &[u32]) -> Json {
    list(words.iter().map(|&word| number(word)))
}

fn stream(key: [u8; 32]) -> Json {
    let mut stream = Stream::new(key);
    let head: [u32; 40] = std::array::from_fn(|_| stream.next_word());
    obj([("key", hex(&key)), ("words", words(&head))])
}

/// Words given directly, because no known key yields them at the required place.
fn from_words(bound: u16, given: &[u32]) -> Json {
    let draws = given.iter().filter_map(|&word| accept_word(word, m(bound)));
    obj([("m", number(bound)), ("words", words(given)), ("draws", list(draws.map(number)))])
}

fn from_key(bound: u16, key: [u8; 32]) -> Json {
    let mut stream = Stream::new(key);
    let draws: [u16; 8] = std::array::from_fn(|_| stream.below(m(bound)));
    let mut stream = Stream::new(key);
    let refused = (0..8).filter(|_| accept_word(stream.next_word(), m(bound)).is_none());
    obj([
        ("m", number(bound)),
        ("key", hex(&key)),
        ("draws", list(draws.map(number))),
        ("thrown_away", list(refused.map(count).collect::<Vec<_>>())),
    ])
}

pub fn file() -> Json {
    const TOP: u32 = u32::MAX;
    obj([
        (
            "about",
            text("The stream of a key as u32 words, and below(m) over a stream; spec/fairness.md, Stream and Draws"),
        ),
        (
            "streams",
            list([stream([0; 32]), stream(std::array::from_fn(|i| u8::try_from(i).unwrap_or(0))), stream([0xff; 32])]),
        ),
        (
            "below_words",
            list([
                from_words(1, &[0, 1, TOP]),
                from_words(2, &[0, 1, TOP - 1, TOP]),
                from_words(37, &[TOP, TOP - 6, TOP - 7, 36, 37]),
                from_words(52, &[TOP, TOP - 47, TOP - 48, 51, 52]),
                from_words(416, &[TOP - 255, TOP - 256, TOP, 415, 416]),
                from_words(4096, &[TOP, TOP - 4096]),
                from_words(40_503, &[TOP, TOP - 29_175, TOP - 29_176, 40_502, 40_503]),
                from_words(65_535, &[TOP, TOP - 1, TOP, TOP, 65_535, 65_534]),
            ]),
        ),
        (
            "below_key",
            list([
                from_key(40_503, key(REJECTING_KEY)),
                from_key(65_535, key(0)),
                from_key(37, key(0)),
                from_key(1, key(0)),
            ]),
        ),
    ])
}
