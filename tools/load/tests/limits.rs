//! The speed of the disk alone.

use fairshoe_load::limits::raw_file;

#[test]
fn the_raw_file_is_measured_and_removed() {
    let dir = std::env::temp_dir().join(format!("fairshoe-load-test-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let measured = raw_file(&dir, "test").unwrap();
    assert_eq!(measured.iter().map(|m| m.batch).collect::<Vec<_>>(), [1, 10, 100]);
    assert!(measured.iter().all(|m| m.entries_per_second > 0));
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
    std::fs::remove_dir(&dir).unwrap();
    assert!(raw_file(&dir, "test").unwrap_err().is_usage());
}
