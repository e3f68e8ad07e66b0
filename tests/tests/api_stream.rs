//! A table's event stream: every entry once, in order, never before it is under a checkpoint.

use fairshoe_tests::wire::{Events, Frame, broken_off_each_time};
use fairshoe_tests::{Json, Rng, Service, whole_log};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// The log indices of a table's entries, with their text.
fn of_table(service: &Service, table: &str) -> Vec<(u64, String)> {
    let is_its = |text: &str| serde_json::from_str::<Value>(text).unwrap()["at"]["table"] == table;
    (0..).zip(whole_log(&service.anyone())).filter(|(_, text)| is_its(text)).collect()
}

#[test]
fn frames_come_in_order_and_a_reader_goes_on_where_he_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut alice = service.player("alice", 10_000);
    let other = service.player("other", 10_000);
    let mut live = Events::open(&service.url, "joy-1", None, PATIENCE);
    let mut rng = Rng(3);
    for _ in 0..6 {
        alice.play_randomly("joy-1", 10, &mut rng);
        other.open_table();
        let name = other.client.get("/v1/tables").expect_status(200)["tables"]
            .items()
            .find(|t| t["owner"] == "other")
            .unwrap()["table"]
            .text();
        other.play(&name, 1);
        other.client.post(&format!("/v1/tables/{name}/close"), &json!({})).expect_status(200);
    }
    let all = of_table(&service, "joy-1");
    // The live reader began after the table's first two entries.
    let first = live.entry().unwrap();
    let start = all.iter().position(|entry| *entry == first).unwrap();
    assert_eq!(start, 2, "a stream without Last-Event-ID begins with what comes next");
    let mut got = vec![first];
    while got.len() < all.len() - start {
        got.push(live.entry().unwrap());
    }
    assert_eq!(got, all[start..], "every entry of the table once, in order, to the byte");

    // Interrupted anywhere and resumed, no event is lost or repeated; also with the index of another table's entry.
    for last in [0, all[0].0, all[3].0, all[3].0 + 1, all[all.len() - 2].0] {
        let rest: Vec<_> = all.iter().filter(|(index, _)| *index > last).cloned().collect();
        let mut resumed = Events::open(&service.url, "joy-1", Some(last), PATIENCE);
        let got: Vec<_> = rest.iter().map(|_| resumed.entry().unwrap()).collect();
        assert_eq!(got, rest, "after {last}");
    }

    // Across a restart, too.
    service.kill();
    service = Service::start(folder.path(), &[]);
    alice.client = service.client(Some(&alice.token));
    alice.play("joy-1", 5);
    let all = of_table(&service, "joy-1");
    let last = got.last().unwrap().0;
    let rest: Vec<_> = all.iter().filter(|(index, _)| *index > last).cloned().collect();
    let mut resumed = Events::open(&service.url, "joy-1", Some(last), PATIENCE);
    assert_eq!(rest.iter().map(|_| resumed.entry().unwrap()).collect::<Vec<_>>(), rest);
}

#[test]
fn a_stream_that_is_cut_between_an_entry_and_its_openings_loses_neither_and_repeats_nothing() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let own = alice.open_table();
    for _ in 0..3 {
        alice.play(&own, 5);
    }
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({})).expect_status(200);
    let mut whole = Events::open(&service.url, &own, Some(0), PATIENCE);
    let all: Vec<Frame> =
        std::iter::from_fn(|| whole.any()).filter(|frame| !matches!(frame, Frame::Comment(_))).collect();
    let opened = all.iter().filter(|frame| matches!(frame, Frame::Openings { .. })).count();
    assert!(opened >= 3, "{opened} entries have openings");
    assert_eq!(broken_off_each_time(None, &service.url, &own, "0", all.len()), all);
    // Two connections that end at different places: the second one continues after the last event of the first.
    for (at, frame) in all.iter().enumerate() {
        let id = frame.event_id().unwrap();
        let mut rest = Events::open_behind(None, &service.url, &own, Some(&id), PATIENCE);
        let rest: Vec<Frame> =
            std::iter::from_fn(|| rest.any()).filter(|frame| !matches!(frame, Frame::Comment(_))).collect();
        assert_eq!(rest, all[at + 1..], "behind {id}");
        // A reader who has the whole entry from elsewhere does not get it again.
        let Frame::Entry { id, .. } = frame else { continue };
        let mut behind = Events::open_behind(None, &service.url, &own, Some(&format!("{id}.2")), PATIENCE);
        let next = all.iter().find(|one| matches!(one, Frame::Entry { id: other, .. } if other > id));
        let told = std::iter::from_fn(|| behind.any()).find(|frame| !matches!(frame, Frame::Comment(_)));
        assert_eq!(told.as_ref(), next, "behind all of {id}");
    }
    // An entry of another table has no events here, and neither has one that does not exist yet.
    let first = all[0].event_id().unwrap().parse::<u64>().unwrap();
    let behind = |id: &str| Events::open_behind(None, &service.url, &own, Some(id), PATIENCE).entry();
    assert_eq!(behind(&format!("{}.1", first - 1)).unwrap().0, first);
    assert_eq!(behind("18446744073709551615.2"), None);
}

#[test]
fn more_entries_than_are_sent_at_once_all_come() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    for _ in 0..40 {
        alice.play("joy-1", 1);
    }
    let all = of_table(&service, "joy-1");
    assert!(all.len() > 100);
    let mut stream = Events::open(&service.url, "joy-1", Some(0), PATIENCE);
    assert_eq!(all.iter().map(|_| stream.entry().unwrap()).collect::<Vec<_>>(), all);
}

#[test]
fn no_frame_comes_before_its_entry_is_under_a_checkpoint() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let stream = Events::open(&service.url, "joy-1", None, PATIENCE);
    let (client, watching) = (service.anyone(), std::sync::atomic::AtomicBool::new(true));
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut stream = stream;
            let mut frames = 0;
            while watching.load(std::sync::atomic::Ordering::Relaxed) {
                let Some((index, data)) = stream.entry() else { break };
                let checkpoint = client.get("/checkpoint").text();
                let size: u64 = checkpoint.lines().nth(1).unwrap().parse().unwrap();
                assert!(index < size, "entry {index} was sent under a checkpoint of {size}");
                assert_eq!(client.get(&format!("/v1/entries/{index}")).text(), data);
                frames += 1;
            }
            frames
        });
        for _ in 0..40 {
            alice.play("joy-1", 1);
        }
        watching.store(false, std::sync::atomic::Ordering::Relaxed);
        alice.play("joy-1", 1);
        assert!(reader.join().unwrap() > 80);
    });
}

#[test]
fn silence_is_broken_by_a_sign_of_life_even_while_other_tables_are_busy() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let own = alice.open_table();
    let mut stream = Events::open(&service.url, "joy-1", None, Duration::from_secs(25));
    assert!(matches!(stream.any(), Some(Frame::Comment(_))), "a stream shows at once that it is open");
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || stream.any());
        while !reader.is_finished() {
            assert!(begun.elapsed() < Duration::from_secs(25));
            alice.play(&own, 1);
        }
        assert!(matches!(reader.join().unwrap(), Some(Frame::Comment(_))));
    });
    assert!((12..20).contains(&begun.elapsed().as_secs()), "after {:?}", begun.elapsed());
}

#[test]
fn the_stream_ends_with_its_table_and_with_the_service() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 100);
    let own = alice.open_table();
    let mut stream = Events::open(&service.url, &own, None, PATIENCE);
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({})).expect_status(200);
    let (closed, data) = stream.entry().unwrap();
    assert!(data.contains("table_closed"));
    let begun = Instant::now();
    assert_eq!(stream.entry(), None);
    // A reader who comes back later gets the missed events, and the end.
    let mut all = Events::open(&service.url, &own, Some(0), PATIENCE);
    assert_eq!(std::iter::from_fn(|| all.entry()).last().unwrap().0, closed);
    assert_eq!(Events::open(&service.url, &own, Some(closed), PATIENCE).entry(), None);
    assert_eq!(Events::open(&service.url, &own, None, PATIENCE).entry(), None);
    let mut live = Events::open(&service.url, "joy-1", None, PATIENCE);
    assert_eq!(service.stop(), Some(0));
    assert_eq!(live.entry(), None);
    assert!(begun.elapsed() < Duration::from_secs(15), "streams ended by being ended, not by running out of patience");
}

/// At once, not with the next keep-alive comment, which comes after 15 seconds: by then a table may have sent more.
#[test]
fn a_stream_ends_with_the_token_that_opened_it() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 100);
    let path = "/v1/players/alice/tokens";
    let short = alice.client.post(path, &serde_json::json!({ "seconds": 2 })).expect_status(201);
    let begun = Instant::now();
    let open = |token: &str| Events::open_as(Some(token), &service.url, "joy-1", None, PATIENCE);
    let (mut ends, mut revoked) = (open(short["token"].as_str().unwrap()), open(&alice.token));
    assert_eq!(ends.entry(), None);
    assert!((1_500..10_000).contains(&begun.elapsed().as_millis()), "after {:?}", begun.elapsed());
    alice.client.post(path, &serde_json::json!({ "revoke": true })).expect_status(201);
    let begun = Instant::now();
    assert_eq!(revoked.entry(), None);
    assert!(begun.elapsed() < Duration::from_secs(10), "after {:?}", begun.elapsed());
}

/// Attack: strangers open every stream there is, and a player sees nothing of their table; or one player does, and
/// strangers see nothing.
#[test]
fn strangers_streams_make_room_for_a_players() {
    let service = Service::fresh(&["--max-streams", "3"]);
    let (alice, bob) = (service.player("alice", 100), service.player("bob", 100));
    let open = |token: Option<&str>| Events::open_as(token, &service.url, "joy-1", None, PATIENCE);
    let guest = service.anyone().post("/v1/guests", &serde_json::json!({})).expect_status(201);
    // A guest's stream counts for their address, like a stranger's.
    let mut strangers = [open(None), open(guest["token"].as_str()), open(None)];
    assert_eq!(service.anyone().get("/v1/tables/joy-1/events").problem(503), "unavailable");
    let mut own = open(Some(&alice.token));
    assert_eq!(strangers[2].entry(), None, "it ended, and no other did");
    let mut other = open(Some(&bob.token));
    assert_eq!(strangers[1].entry(), None);
    assert_eq!(service.anyone().get("/v1/tables/joy-1/events").problem(503), "unavailable");
    assert_eq!(alice.client.get("/v1/tables/joy-1/events").problem(503), "unavailable", "strangers have their part");
    bob.play("joy-1", 1);
    assert!(own.entry().is_some() && other.entry().is_some() && strangers[0].entry().is_some());
    // If players hold all places, a stranger gets one from the player with the most.
    drop(strangers);
    fairshoe_tests::wire::eventually("a free place", || {
        service.anyone().get("/metrics").text().contains("fairshoe_event_streams 2\n")
    });
    let mut second = open(Some(&alice.token));
    let _stranger = open(None);
    assert_eq!(second.entry(), None, "it ended");
}

#[test]
fn streams_are_limited_and_their_places_come_back() {
    let service = Service::fresh(&["--max-streams", "2"]);
    let alice = service.player("alice", 10_000);
    let open = || Events::open(&service.url, "joy-1", Some(0), PATIENCE);
    let (mut first, second) = (open(), open());
    let refused = service.anyone().get("/v1/tables/joy-1/events");
    assert_eq!(refused.problem(503), "unavailable");
    assert!(refused.header("retry-after").is_some());
    assert!(first.entry().is_some());
    drop(second);
    // The service notices a closed reader at the next write.
    fairshoe_tests::wire::eventually("a free place", || {
        alice.play("joy-1", 1);
        let mut wire = fairshoe_tests::wire::Wire::connect(&service.url, PATIENCE);
        wire.send(b"GET /v1/tables/joy-1/events HTTP/1.1\r\nHost: x\r\n\r\n");
        wire.head().unwrap().status == 200
    });
}
