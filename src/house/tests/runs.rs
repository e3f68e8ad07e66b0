//! Numbers in runs, as known logs count claims.

use fairshoe_house::Runs;

#[test]
fn runs_are_as_few_as_can_be() {
    let mut runs = Runs::default();
    for number in [5, 3, 4, 0, 9, 1, 8] {
        assert!(!runs.contains(number) && runs.insert(number) && runs.contains(number));
        assert!(!runs.insert(number), "{number} is there");
    }
    assert_eq!(Vec::from(runs.clone()), [(0, 1), (3, 5), (8, 9)]);
    assert!(!runs.contains(2) && !runs.contains(6) && !runs.contains(10));
    assert!(runs.insert(2) && runs.insert(u64::MAX));
    assert_eq!(Vec::from(runs), [(0, 5), (8, 9), (u64::MAX, u64::MAX)]);
}

#[test]
fn the_same_numbers_have_one_text() {
    for text in ["[[0,1],[2,3]]", "[[3,2]]", "[[4,5],[0,1]]", "[[0,3],[2,5]]"] {
        assert!(serde_json::from_str::<Runs>(text).is_err(), "{text}");
    }
    assert_eq!(serde_json::from_str::<Runs>("[[0,1],[3,3]]").map(|runs| runs.len()).ok(), Some(2));
}
