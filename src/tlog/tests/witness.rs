//! The witness protocol: requests, refusals, the checkpoints a witness accepts.

use fairshoe_tlog::{
    AddCheckpoint, EMPTY_ROOT, Hash, LastCosigned, MAX_ADD_CHECKPOINT, MAX_NOTE, MAX_PROOF, MalformedRequest,
    WitnessRefusal, admit, conflict_size, requested_origin,
};
use fairshoe_tlog::{NoTiles, Signer, Tree, leaf_hash};

fn log(leaves: u64) -> (Tree, Signer) {
    let mut tree = Tree::new();
    for n in 0..leaves {
        tree.append(leaf_hash(&n.to_be_bytes()));
    }
    (tree, Signer::new("log.example/w", &[7; 32]).unwrap())
}

fn at(size: u64) -> LastCosigned {
    LastCosigned { size, root: log(size).0.root() }
}

fn request(old_size: u64, size: u64) -> AddCheckpoint {
    let (tree, signer) = log(size);
    let proof = if old_size == 0 || old_size >= size {
        Vec::new()
    } else {
        tree.consistency_proof(old_size, size, &NoTiles).unwrap()
    };
    AddCheckpoint { old_size, proof, checkpoint: signer.sign_checkpoint(size, tree.root()) }
}

#[test]
fn a_request_has_one_form() {
    let request = request(3, 11);
    assert_eq!(AddCheckpoint::parse(request.format().as_bytes()), Ok(request.clone()));
    let text = request.format();
    for (from, to, line) in
        [("old 3", "old 03", 1), ("old 3\n", "old 3\nAA\n", 2), ("\n\nlog", "\nlog", 2 + request.proof.len())]
    {
        assert_eq!(
            AddCheckpoint::parse(text.replacen(from, to, 1).as_bytes()),
            Err(MalformedRequest { line }),
            "{from}"
        );
    }
    let long = format!("old 0\n{}\n\n", vec![Hash([0; 32]).to_string(); MAX_PROOF + 1].join("\n"));
    assert_eq!(AddCheckpoint::parse(long.as_bytes()), Err(MalformedRequest { line: MAX_PROOF + 2 }));
}

#[test]
fn the_longest_request_is_read_and_none_beyond_the_limit() {
    let of = |checkpoint: usize| AddCheckpoint {
        old_size: u64::MAX,
        proof: vec![Hash([0; 32]); MAX_PROOF],
        checkpoint: "c".repeat(checkpoint),
    };
    assert_eq!(AddCheckpoint::parse(of(MAX_NOTE).format().as_bytes()), Ok(of(MAX_NOTE)));
    let room = MAX_ADD_CHECKPOINT - of(0).format().len();
    assert!(room < MAX_NOTE + 2048, "{room}");
    assert_eq!(AddCheckpoint::parse(of(room).format().as_bytes()), Ok(of(room)));
    assert_eq!(AddCheckpoint::parse(of(room + 1).format().as_bytes()), Err(MalformedRequest { line: 1 }));
}

#[test]
fn a_request_is_of_the_log_that_its_checkpoint_names() {
    assert_eq!(requested_origin(&request(0, 5)), Ok("log.example/w".to_owned()));
    for broken in ["", "log.example/w\n5\n"] {
        let request = AddCheckpoint { checkpoint: broken.into(), ..request(0, 5) };
        assert_eq!(requested_origin(&request).map_err(|e| e.status()), Err(400), "{broken:?}");
    }
    let refusals = [WitnessRefusal::UnknownLog, WitnessRefusal::NotSigned, WitnessRefusal::Conflict(5)];
    assert_eq!(refusals.map(|refusal| refusal.status()), [404, 403, 409]);
}

#[test]
fn a_conflict_names_a_size_in_one_way() {
    for (body, size) in [("0\n", Some(0)), ("20852163\n", Some(20_852_163)), ("18446744073709551615\n", Some(u64::MAX))]
    {
        assert_eq!(conflict_size(body.as_bytes()), size, "{body:?}");
    }
    for body in ["", "\n", "7", "07\n", "+7\n", "7\n\n", "7 \n", "7\r\n", "-1\n", "18446744073709551616\n"] {
        assert_eq!(conflict_size(body.as_bytes()), None, "{body:?}");
    }
    assert_eq!(conflict_size(b"\xff\n"), None);
}

#[test]
fn a_witness_follows_a_log_that_only_grows() {
    let key = log(0).1.verifier_key().clone();
    for (seen, old, new) in [(None, 0, 1), (None, 0, 9), (Some(3), 3, 3), (Some(3), 3, 11), (Some(8), 8, 200)] {
        let admitted = admit(&request(old, new), &key, seen.map(at)).unwrap();
        assert_eq!((admitted.0.size, admitted.0.root), (new, log(new).0.root()));
    }
}

#[test]
fn a_witness_refuses_by_name() {
    let (tree, signer) = log(11);
    let key = signer.verifier_key().clone();
    let other = Signer::new("log.example/w", &[8; 32]).unwrap();
    let status = |request: &AddCheckpoint, seen: Option<LastCosigned>| {
        admit(request, &key, seen).map(|_| 200).unwrap_or_else(|e| e.status())
    };
    assert_eq!(status(&request(3, 11), Some(at(4))), 409);
    assert_eq!(status(&request(0, 11), Some(at(4))), 409);
    assert_eq!(admit(&request(3, 11), &key, Some(at(5))), Err(WitnessRefusal::Conflict(5)));
    assert_eq!(status(&request(12, 11), Some(at(12))), 400);
    let unsigned = AddCheckpoint { checkpoint: other.sign_checkpoint(11, tree.root()), ..request(3, 11) };
    assert_eq!(status(&unsigned, Some(at(3))), 403);
    let mut forged = request(3, 11);
    forged.proof.pop();
    assert_eq!(status(&forged, Some(at(3))), 422);
    let fork = AddCheckpoint { checkpoint: signer.sign_checkpoint(11, Hash([1; 32])), ..request(3, 11) };
    assert_eq!(status(&fork, Some(at(3))), 422);
    let twin = AddCheckpoint { old_size: 11, proof: Vec::new(), checkpoint: signer.sign_checkpoint(11, Hash([1; 32])) };
    assert_eq!(status(&twin, Some(at(11))), 409);
    let idle = AddCheckpoint { old_size: 0, proof: vec![Hash([0; 32])], ..request(0, 11) };
    assert_eq!(status(&idle, None), 422);
    let empty = |root| AddCheckpoint { old_size: 0, proof: Vec::new(), checkpoint: signer.sign_checkpoint(0, root) };
    assert_eq!([status(&empty(EMPTY_ROOT), None), status(&empty(Hash([1; 32])), None)], [200, 409]);
    let garbage = AddCheckpoint { checkpoint: "nothing\n".into(), ..request(0, 11) };
    assert_eq!(status(&garbage, None), 400);
}
