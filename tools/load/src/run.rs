//! A run from its command line to its report.

use crate::args::Args;
use crate::cash_table::CashTable;
use crate::check::{Flaw, LogCheck};
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::limits::{Connected, Limits, empty_handler, raw_file};
use crate::link::Link;
use crate::pace::Pacer;
use crate::pen::random;
use crate::player::Player;
use crate::report::{LoadReport, connections};
use crate::seating::{Seating, cash_tables, is_poker, seatings};
use crate::shared::{Acks, Shared};
use crate::strategy::is_shared;
use crate::tournament::{Event, event_name, structure};
use fairshoe_api::LogInfo;
use fairshoe_tlog::VerifierKey;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// The longest operator's token file that is read, in bytes.
const MAX_TOKEN_FILE: u64 = 4096;

/// Plays by the command line.
///
/// # Errors
/// [`Failure`] before the first round; later failures stand in the report.
pub async fn run(args: Args) -> Result<LoadReport, Failure> {
    let shared = Arc::new(prepare(args).await?);
    let new_client = || Client::new(&shared.args.url).map(|client| Arc::new(Mutex::new(client)));
    let clients = (0..connections(&shared)).map(|_| new_client()).collect::<Result<Vec<_>, _>>()?;
    let first: Arc<Mutex<Client>> =
        clients.first().cloned().ok_or_else(|| Failure::Usage("--connections must be at least 1".into()))?;
    let mut link = Link::new(first.clone(), shared.clone());
    if let Some(name) = event_name(&shared.args) {
        let structure = structure(&shared.args, name)?;
        let event = Event::prepare(&shared, link, structure).await?;
        let connections = event.connections();
        return measure(&shared, first, vec![event], connections).await;
    }
    if is_poker(&shared.args)? {
        let cash_tables = cash_tables(&shared, &mut link).await?;
        let tables = cash_tables.len();
        let seated = gather(
            cash_tables.into_iter().map(|(numbers, seating)| CashTable::sit_down(numbers, seating, shared.clone())),
        )
        .await?;
        return measure(&shared, first, seated, u16::try_from(tables).unwrap_or(u16::MAX)).await;
    }
    let seatings = seatings(&shared, &mut link).await?;
    let players = sit_down(&shared, &clients, seatings).await?;
    let count = connections(&shared);
    measure(&shared, first, players, count).await
}

/// A player on their own task, who plays until the time is up.
trait Plays: Connected {
    fn play(&mut self) -> impl Future<Output = Result<(), Failure>> + Send;
}

impl Plays for Player {
    fn play(&mut self) -> impl Future<Output = Result<(), Failure>> + Send {
        Player::play(self)
    }
}

impl Plays for CashTable {
    fn play(&mut self) -> impl Future<Output = Result<(), Failure>> + Send {
        CashTable::play(self)
    }
}

impl Plays for Event {
    fn play(&mut self) -> impl Future<Output = Result<(), Failure>> + Send {
        Event::play(self)
    }
}

/// Measures the limits if asked to, plays, proves the log's consistency, and sums up.
async fn measure<P: Plays>(
    shared: &Arc<Shared>,
    first: Arc<Mutex<Client>>,
    mut players: Vec<P>,
    connections: u16,
) -> Result<LoadReport, Failure> {
    let mut limits = None;
    if let Some(dir) = &shared.args.limits {
        let (same_players, empty_handler_per_second) = empty_handler(players).await?;
        players = same_players;
        let (dir, run) = (dir.clone(), shared.run.clone());
        let measured = tokio::task::spawn_blocking(move || raw_file(&dir, &run)).await;
        let raw_file = measured.map_err(|e| Failure::Usage(format!("measuring the file broke down: {e}")))??;
        limits = Some(Limits { empty_handler_per_second, raw_file });
    }
    let begin = Instant::now();
    let deadline = begin
        .checked_add(Duration::from_secs(shared.args.seconds))
        .ok_or_else(|| Failure::Usage("--seconds is too long".into()))?;
    // Only this line sets it.
    let _ = shared.deadline.set(deadline);
    let pacer = match (&shared.pace, shared.args.rate) {
        (Some(permits), Some(rate)) => {
            let burst = usize::from(shared.args.players);
            Some(Pacer::start(permits.clone(), rate, burst).map_err(|error| Failure::File("a thread".into(), error))?)
        }
        _ => None,
    };
    let progress = tokio::spawn(show_progress(shared.clone(), begin));
    let mut errors = play(shared, players).await;
    let elapsed = begin.elapsed();
    progress.abort();
    drop(pacer);
    let proven = if errors.is_empty() { prove_consistency(shared, first).await } else { Ok(None) };
    let consistent = proven.unwrap_or_else(|failure| {
        errors.push(failure.to_string());
        Some(false)
    });
    Ok(LoadReport::new(shared, connections, elapsed, consistent, errors, limits))
}

/// Reads the token and the log's key.
async fn prepare(args: Args) -> Result<Shared, Failure> {
    let operator = read_token(&args)?;
    let run: [u8; 4] = random()?;
    let acks = args.acks.as_deref().map(Acks::open).transpose()?;
    let mut client = Client::new(&args.url)?;
    let request = Request::get("/v1/log").token(&operator);
    let reply = client.send(&request).await.map_err(|lost| Failure::Gone(request.name(), lost))?;
    let info: LogInfo = crate::link::parse(&request, &reply)?;
    let vkey = args.vkey.as_deref().unwrap_or(&info.vkey);
    let key: VerifierKey = vkey.parse().map_err(|e| Failure::Usage(format!("the log's key `{vkey}`: {e}")))?;
    let log = LogCheck::new(key).of_nodes(args.url.contains(','));
    let flawed = |flaw| Failure::Flaw("GET /v1/log".into(), flaw);
    let checkpoint = log.checkpoint(&info.checkpoint).map_err(flawed)?;
    if checkpoint.origin != info.origin.as_str() {
        return Err(flawed(Flaw::differs("the log's name", info.origin.as_str(), &checkpoint.origin)));
    }
    Ok(Shared::new(args, operator, hex::encode(run), info, log, acks))
}

fn read_token(args: &Args) -> Result<Token, Failure> {
    let path = &args.token_file;
    let fail = |error| {
        Failure::File(
            format!(
                "the operator's token {} (it lies in the service's data folder; --token-file names it)",
                path.display()
            ),
            error,
        )
    };
    let length = std::fs::metadata(path).map_err(fail)?.len();
    let text = if length > MAX_TOKEN_FILE { String::new() } else { std::fs::read_to_string(path).map_err(fail)? };
    let is_token = text.trim().len() == 64 && text.trim().bytes().all(|b| b.is_ascii_hexdigit());
    let token = Token::new(&text).filter(|_| is_token);
    token.ok_or_else(|| Failure::Usage(format!("{} does not hold a token of 64 hexadecimal digits", path.display())))
}

async fn sit_down(
    shared: &Arc<Shared>,
    clients: &[Arc<Mutex<Client>>],
    seatings: Vec<Seating>,
) -> Result<Vec<Player>, Failure> {
    let mut sitting = Vec::new();
    for ((number, seating), client) in (0..shared.args.players).zip(seatings).zip(clients.iter().cycle()) {
        let secret = random()?;
        // A connection on which a player waits for their table's next entry is not shared meanwhile.
        let own =
            if is_shared(&seating.rules) { Some(Arc::new(Mutex::new(Client::new(&shared.args.url)?))) } else { None };
        sitting.push(Player::sit_down(number, secret, own.unwrap_or_else(|| client.clone()), seating, shared.clone()));
    }
    gather(sitting.into_iter()).await
}

/// The results of all these, in any order.
async fn gather<T: Send + 'static>(
    all: impl Iterator<Item = impl Future<Output = Result<T, Failure>> + Send + 'static>,
) -> Result<Vec<T>, Failure> {
    let mut tasks = JoinSet::new();
    for one in all {
        tasks.spawn(one);
    }
    let mut done = Vec::new();
    while let Some(one) = tasks.join_next().await {
        done.push(one.map_err(|e| Failure::Usage(format!("a player broke down: {e}")))??);
    }
    Ok(done)
}

async fn play<P: Plays>(shared: &Arc<Shared>, players: Vec<P>) -> Vec<String> {
    let mut tasks = JoinSet::new();
    for mut player in players {
        let shared = shared.clone();
        tasks.spawn(async move {
            let played = Plays::play(&mut player).await;
            if played.is_err() {
                shared.stop();
            }
            played
        });
    }
    let mut errors = Vec::new();
    while let Some(done) = tasks.join_next().await {
        match done {
            Ok(Ok(()) | Err(Failure::Stopped)) => {}
            Ok(Err(failure)) => errors.push(failure.to_string()),
            Err(broken) => errors.push(format!("a player broke down: {broken}")),
        }
    }
    errors
}

async fn show_progress(shared: Arc<Shared>, begin: Instant) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (rounds, requests, lost) = {
            let totals = shared.totals();
            (totals.rounds(), totals.durable.count(), totals.counts.lost)
        };
        let seconds = begin.elapsed().as_secs();
        eprintln!("{seconds:>4} s  {rounds:>8} rounds  {:>7} requests/s  {lost} lost", requests.saturating_sub(before));
        before = requests;
    }
}

/// Proves from the served tiles that the last checkpoint extends the first. `None` if no proof is needed.
async fn prove_consistency(shared: &Arc<Shared>, client: Arc<Mutex<Client>>) -> Result<Option<bool>, Failure> {
    let Some((first, last)) = shared.log.span().filter(|(first, last)| first.size < last.size) else { return Ok(None) };
    let mut link = Link::new(client, shared.clone());
    shared.tiles.prove_extension(&mut link, &shared.operator, &first, &last).await?;
    Ok(Some(true))
}
