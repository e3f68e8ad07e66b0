//! Cosignatures in a witness's answer.

use fairshoe_tlog::{Checkpoint, Cosigner, EMPTY_ROOT, NoteError, Signer, cosignature_in};

#[test]
fn of_an_answer_only_the_witness_s_own_cosignature_of_this_text_is_taken() {
    let witness = Cosigner::new("witness.example/a", &[1; 32]).unwrap();
    let other = Cosigner::new("witness.example/b", &[2; 32]).unwrap();
    let twin = Cosigner::new("witness.example/a", &[3; 32]).unwrap();
    let log = Signer::new("log.example/c", &[4; 32]).unwrap();
    let text =
        |size| Checkpoint { origin: "log.example/c".into(), size, root: EMPTY_ROOT, extensions: Vec::new() }.text();
    let (this, that) = (text(7), text(8));
    let (early, late) = (witness.cosign(&this, 100).unwrap(), witness.cosign(&this, 200).unwrap());
    let strange = other.cosign(&this, 300).unwrap();
    let take = |answer: &str| cosignature_in(answer, &this, witness.verifier_key());

    // The twin's line has the name and the time, but another key.
    let of_twin = twin.cosign(&this, 200).unwrap();
    for answer in [
        late.clone(),
        format!("{strange}{late}"),
        format!("{late}{early}"),
        format!("{early}{strange}{late}"),
        format!("{of_twin}{late}"),
    ] {
        assert_eq!(take(&answer), Ok((late.clone(), 200)), "{answer}");
    }
    let of_that = witness.cosign(&that, 100).unwrap();
    let name = "witness.example/a".to_owned();
    assert_eq!(take(&of_that), Err(NoteError::BadSignature { name: name.clone() }));
    assert_eq!(take(&format!("{late}{of_that}")), Err(NoteError::BadSignature { name }));
    for none in [strange, twin.cosign(&this, 100).unwrap(), log.sign(&this).unwrap()] {
        assert_eq!(take(&none), Err(NoteError::NoKnownSignature), "{none}");
    }
    for garbage in [
        "",
        "\n",
        "ok\n",
        late.trim_end(),
        &format!("\n{late}"),
        &format!("more\n\n{late}"),
        &format!("{late}\n{late}"),
    ] {
        assert!(take(garbage).is_err(), "{garbage:?}");
    }
}
