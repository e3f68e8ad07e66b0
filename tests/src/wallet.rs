//! Wallets in memory that have one fault each, for the check to find; and one without a fault, for which it must find
//! none.

use crate::Json;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The fault of a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It has no fault.
    Nothing,
    /// It does not store refusals, and decides again when asked again.
    ForgetsRefusals,
    /// A reserve that is repeated takes the money again.
    ReservesTwice,
    /// A pay that is repeated pays again.
    PaysTwice,
    /// A cancel that is repeated gives the money back again.
    CancelsTwice,
    /// It says `refused` while its database is away.
    RefusesWhileAway,
    /// It answers a known name for any amount.
    TakesOtherAmounts,
    /// It answers a known name for any player.
    TakesOtherPlayers,
    /// It pays under the name of a deposit.
    TakesOtherKinds,
    /// It releases reserved money after a while.
    LetsGo,
    /// The same, but it still reports it as reserved.
    LetsGoInSilence,
    /// It reserves without reducing the spendable money.
    HoldsNothing,
    /// It cancels without giving the money back.
    KeepsCancelled,
    /// It does not remember a cancel of an unknown name.
    ForgetsCancels,
    /// It reports a committed operation as cancelled.
    CancelsCommitted,
    /// It looks an operation up and stores it in two steps.
    LooksThenStores,
    /// It takes an amount of 1.5 for 1.
    RoundsAmounts,
    /// It stores malformed requests that it refuses.
    StoresMalformed,
    /// It accepts any token.
    TakesAnyToken,
    /// Each page begins again with the last operation of the page before.
    RepeatsOfPages,
    /// Its statement omits refused operations.
    LeavesRefusedOut,
    /// It checks for enough money and takes it in two steps.
    ChecksThenTakes,
    /// Its answers name another amount than the request.
    AnswersOtherAmounts,
}

#[derive(Clone, Debug)]
struct Stored {
    kind: &'static str,
    player: String,
    amount: i64,
    state: &'static str,
    at: Instant,
    let_go: bool,
}

#[derive(Default)]
struct Book {
    accounts: BTreeMap<String, i64>,
    operations: BTreeMap<(String, i64), Stored>,
}

/// The wallet.
pub struct WrongWallet {
    pub url: String,
    away: Arc<AtomicBool>,
}

struct Shared {
    wrong: Wrong,
    token: String,
    book: Mutex<Book>,
    away: Arc<AtomicBool>,
}

impl WrongWallet {
    /// Starts it with one account; it runs until the test ends.
    pub fn start(wrong: Wrong, token: &str, player: &str, balance: i64) -> WrongWallet {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let away = Arc::new(AtomicBool::new(false));
        let accounts = BTreeMap::from([(player.to_owned(), balance)]);
        let book = Mutex::new(Book { accounts, ..Book::default() });
        let shared = Arc::new(Shared { wrong, token: token.to_owned(), book, away: away.clone() });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || while serve_one(&stream, &shared).is_some() {});
            }
        });
        WrongWallet { url, away }
    }

    /// Takes its database away, or brings it back.
    pub fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::Relaxed);
    }
}

/// Serves one request of a connection; `None` if it is over.
fn serve_one(stream: &TcpStream, shared: &Shared) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut token, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => value.trim_start_matches("Bearer ").clone_into(&mut token),
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (status, reply) = answer(shared, &method, &path, &token, &body);
    let reply = reply.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{reply}",
        reply.len()
    );
    let mut to = stream;
    to.write_all(head.as_bytes()).ok()
}

fn problem(status: u16, code: &str) -> (u16, Value) {
    (status, json!({ "code": code }))
}

fn answer(shared: &Shared, method: &str, path: &str, token: &str, body: &[u8]) -> (u16, Value) {
    if (method, path) == ("GET", "/readyz") {
        return (200, json!({ "ready": true }));
    }
    if token != shared.token && shared.wrong != Wrong::TakesAnyToken {
        return problem(401, "unauthorized");
    }
    if let Some(query) = path.strip_prefix("/v1/statement?") {
        return statement(shared, query);
    }
    let call = ["reserve", "commit", "cancel", "pay"].into_iter().find(|call| path == format!("/v1/{call}"));
    let Some(call) = call else { return problem(404, "not_found") };
    match parse(shared.wrong, body) {
        Some((log, no, player, amount)) => {
            let away = shared.away.load(Ordering::Relaxed);
            if away && shared.wrong == Wrong::RefusesWhileAway && ["reserve", "pay"].contains(&call) {
                let kind = if call == "pay" { "withdrawal" } else { "deposit" };
                let stored = Stored { kind, player, amount, state: "refused", at: Instant::now(), let_go: false };
                return (200, shown(&log, no, &stored));
            }
            if away {
                return problem(503, "unavailable");
            }
            decide(shared, call, &log, no, player, amount)
        }
        None => {
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            if shared.wrong == Wrong::StoresMalformed && body["amount"].as_i64().is_some_and(|amount| amount < 0) {
                let (player, at) = ("x".to_owned(), Instant::now());
                let stored = Stored { kind: "deposit", player, amount: 1, state: "refused", at, let_go: false };
                let name = (body["log"].text(), body["no"].as_i64().unwrap());
                shared.book.lock().unwrap().operations.insert(name, stored);
            }
            problem(400, "malformed")
        }
    }
}

fn parse(wrong: Wrong, body: &[u8]) -> Option<(String, i64, String, i64)> {
    let body: Value = if body.len() > 4096 { None } else { serde_json::from_slice(body).ok() }?;
    let rounded = body["amount"].as_f64().filter(|_| wrong == Wrong::RoundsAmounts).map(|amount| amount as i64);
    let amount = body["amount"].as_i64().or(rounded).filter(|amount| (1..1 << 53).contains(amount))?;
    let no = body["no"].as_i64().filter(|no| *no >= 0)?;
    Some((body["log"].as_str()?.to_owned(), no, body["player"].as_str()?.to_owned(), amount))
}

fn shown(log: &str, no: i64, stored: &Stored) -> Value {
    let Stored { kind, player, amount, state, .. } = stored;
    json!({ "log": log, "no": no, "kind": kind, "player": player, "amount": amount, "state": state })
}

fn decide(shared: &Shared, call: &str, log: &str, no: i64, player: String, amount: i64) -> (u16, Value) {
    let wrong = shared.wrong;
    let mut book = shared.book.lock().unwrap();
    let name = (log.to_owned(), no);
    let kind = if call == "pay" { "withdrawal" } else { "deposit" };
    if matches!(wrong, Wrong::LetsGo | Wrong::LetsGoInSilence) {
        let Book { accounts, operations } = &mut *book;
        let old = |stored: &&mut Stored| {
            stored.state == "reserved" && !stored.let_go && stored.at.elapsed() > Duration::from_millis(300)
        };
        for stored in operations.values_mut().filter(old) {
            *accounts.entry(stored.player.clone()).or_default() += stored.amount;
            stored.let_go = true;
            if wrong == Wrong::LetsGo {
                stored.state = "cancelled";
            }
        }
    }
    let known = book.operations.get(&name).cloned();
    let enough = call == "reserve" && book.accounts.get(&player).is_some_and(|balance| *balance >= amount);
    let in_two_steps = wrong == Wrong::LooksThenStores || wrong == Wrong::ChecksThenTakes && enough;
    if in_two_steps && known.is_none() {
        drop(book);
        std::thread::sleep(Duration::from_millis(20));
        book = shared.book.lock().unwrap();
    }
    let Some(known) = known else {
        let lends = wrong == Wrong::ChecksThenTakes && enough;
        return begin(wrong, lends, &mut book, call, name, player, amount);
    };
    let other = known.amount != amount && wrong != Wrong::TakesOtherAmounts
        || known.player != player && wrong != Wrong::TakesOtherPlayers
        || known.kind != kind && wrong != Wrong::TakesOtherKinds;
    if other {
        return problem(409, "other_operation");
    }
    if known.kind != kind {
        return (200, shown(log, no, &Stored { kind, state: if call == "pay" { "paid" } else { "refused" }, ..known }));
    }
    let mut of_nobody = 0;
    let account = book.accounts.get_mut(&known.player).unwrap_or(&mut of_nobody);
    let state = match (call, known.state) {
        ("commit", "reserved") => "committed",
        ("cancel", "reserved") => {
            *account += if wrong == Wrong::KeepsCancelled || wrong == Wrong::HoldsNothing { 0 } else { known.amount };
            "cancelled"
        }
        ("commit", "cancelled" | "refused") => return problem(409, "out_of_order"),
        ("cancel", "committed") if wrong != Wrong::CancelsCommitted => return problem(409, "out_of_order"),
        ("cancel", "committed") => "cancelled",
        ("reserve", "reserved") if wrong == Wrong::ReservesTwice => {
            *account -= known.amount;
            known.state
        }
        ("pay", "paid") if wrong == Wrong::PaysTwice => {
            *account += known.amount;
            known.state
        }
        ("cancel", "cancelled") if wrong == Wrong::CancelsTwice => {
            *account += known.amount;
            known.state
        }
        _ => known.state,
    };
    let stored = Stored { state, ..known };
    book.operations.insert(name, stored.clone());
    (200, shown(log, no, &stored))
}

fn begin(
    wrong: Wrong,
    lends: bool,
    book: &mut MutexGuard<'_, Book>,
    call: &str,
    name: (String, i64),
    player: String,
    amount: i64,
) -> (u16, Value) {
    let kind = if call == "pay" { "withdrawal" } else { "deposit" };
    let account = book.accounts.get_mut(&player);
    let state = match (call, account) {
        ("commit", _) => return problem(409, "out_of_order"),
        ("cancel", _) => "cancelled",
        ("reserve", Some(balance)) if *balance >= amount || lends => {
            *balance -= if wrong == Wrong::HoldsNothing { 0 } else { amount };
            "reserved"
        }
        ("pay", Some(balance)) => {
            *balance += amount;
            "paid"
        }
        _ => "refused",
    };
    let mut stored = Stored { kind, player, amount, state, at: Instant::now(), let_go: false };
    let forgets =
        state == "refused" && wrong == Wrong::ForgetsRefusals || state == "cancelled" && wrong == Wrong::ForgetsCancels;
    if !forgets {
        book.operations.insert(name.clone(), stored.clone());
    }
    if wrong == Wrong::AnswersOtherAmounts && amount == 7 {
        stored.amount = 8;
    }
    (200, shown(&name.0, name.1, &stored))
}

fn statement(shared: &Shared, query: &str) -> (u16, Value) {
    let (log, from) = query.strip_prefix("log=").unwrap().split_once("&from=").unwrap();
    let (log, from) = (log.replace("%2F", "/"), from.parse::<i64>().unwrap());
    let book = shared.book.lock().unwrap();
    let mut all = book.operations.range((log.clone(), from)..(log.clone(), i64::MAX));
    let mut page: Vec<Value> = Vec::new();
    for ((_, no), stored) in all.by_ref().take(1000) {
        if stored.state != "refused" || shared.wrong != Wrong::LeavesRefusedOut {
            page.push(shown(&log, *no, stored));
        }
    }
    let mut reply = json!({ "log": log, "operations": page });
    if let Some(((_, next), _)) = all.next() {
        let last = page.last().and_then(|last| last["no"].as_i64()).unwrap_or(*next);
        reply["next"] = json!(if shared.wrong == Wrong::RepeatsOfPages { last } else { last + 1 });
    }
    (200, reply)
}
