//! Histories of hands that are garbled: none makes the replay panic.

use fairshoe_audit::replay::{read, replay};

const HAND: &str = r#"
variant = "NT"
ante_trimming_status = true
antes = [1, 0.5, 1]
blinds_or_straddles = [1, 2, -2]
min_bet = 2
starting_stacks = [100, 90.5, 70]
actions = ["d dh p1 AcKc", "d dh p2 ????", "d dh p3 7h6h", "p3 cbr 6", "p1 cc", "p2 f", "d db Jc3d5c", "p1 cc", "p3 cbr 10", "p1 cbr 93", "p3 cc", "p1 sm AcKc", "p3 sm 7h6h", "d db 4h", "d db 8d"]
finishing_stacks = [1, 2, 3]
"#;

#[test]
fn no_history_however_garbled_makes_it_panic() {
    let mut state = 9u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut read_so_far, mut played) = (0, 0);
    for _ in 0..20_000 {
        let mut text: Vec<char> = HAND.chars().collect();
        for _ in 0..=below(3) {
            let at = below(text.len());
            match below(3) {
                0 => text[at] = ['9', '0', 'p', '-', '"', '?', '[', 'A', '\u{e9}'][below(9)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, ['1', '9', '.', ',', 'c', ' '][below(6)]),
            }
        }
        let Ok(hands) = read(&text.into_iter().collect::<String>()) else { continue };
        for (_, history) in hands {
            read_so_far += 1;
            if history.is_ok_and(|history| replay(&history).is_ok()) {
                played += 1;
            }
        }
    }
    assert!(read_so_far > 5_000 && played > 1_000, "{read_so_far} read, {played} played");
}
