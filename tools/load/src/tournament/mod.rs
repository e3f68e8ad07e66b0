//! A whole event over HTTP: the operator announces it; players register, reveal, play, are moved, come late, enter
//! again and buy chips, until one of them has won. One task follows the event, and one each of its tables. One place
//! folds and checks all their entries ([`EventCheck`](crate::check::EventCheck)).

mod asking;
mod entrant;
mod setup;
mod summary;
mod table;
mod terms;
mod watch;
mod wishes;

pub use summary::{EventReport, Placed};
pub use terms::{event_name, structure};

use crate::check::{EventCheck, Flaw};
use crate::client::Token;
use crate::failure::Failure;
use crate::limits::Connected;
use crate::link::Link;
use crate::pen::random;
use crate::shared::Shared;
use asking::Asking;
use entrant::Entrant;
use fairshoe_fairness::{PlayerId, Stream, TableId};
use fairshoe_house::tournament::Stage;
use fairshoe_tournament::Structure;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use table::AtTable;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use watch::Watch;
use wishes::{Wish, Wishes};

/// The longest time a reply waits for a new entry of the event, in milliseconds.
const WAIT_MS: u64 = 250;

/// Connections for players' requests outside the tables.
const CONNECTIONS: u16 = 16;

/// The run's players, by name.
pub(crate) struct Players(BTreeMap<PlayerId, Arc<Entrant>>);

impl Players {
    /// Whether a player belongs to the run.
    fn has(&self, player: &PlayerId) -> bool {
        self.0.contains_key(player)
    }

    fn of(&self, player: &PlayerId) -> Result<&Entrant, Failure> {
        let known = self.0.get(player);
        known.map(AsRef::as_ref).ok_or_else(|| Failure::Usage(format!("{player} is none of this run's players")))
    }
}

/// A whole event; see the module.
pub struct Event {
    shared: Arc<Shared>,
    watch: Arc<Watch>,
    players: Arc<Players>,
    structure: Structure,
    name: TableId,
    /// Follows the event.
    asking: Asking,
    next: u64,
    /// Send the players' requests to the event.
    crowd: Vec<Arc<Mutex<Asking>>>,
    wishes: Wishes,
    tables: JoinSet<Result<(), Failure>>,
    followed: BTreeSet<u16>,
    started: Option<Instant>,
}

/// UTC milliseconds by this machine's clock.
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Event {
    /// Reads the log so far, and creates the players with chips. The event is announced when play begins.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn prepare(shared: &Arc<Shared>, link: Link, structure: Structure) -> Result<Event, Failure> {
        let name = format!("load-{}", shared.run);
        let name = TableId::parse(&name).map_err(|e| Failure::Usage(format!("the event's name {name}: {e}")))?;
        let watch = Arc::new(Watch::new(EventCheck::new(name.clone(), shared.origin.as_str()), link, shared.clone()));
        let entrants = (0..shared.args.players).map(|number| Entrant::new(shared, number));
        let entrants: Vec<Arc<Entrant>> = entrants.map(|one| one.map(Arc::new)).collect::<Result<_, _>>()?;
        let crowd = (0..CONNECTIONS.min(shared.args.players))
            .map(|_| Asking::new(shared, &watch).map(|asking| Arc::new(Mutex::new(asking))))
            .collect::<Result<Vec<_>, _>>()?;
        let seed = random()?;
        let named = entrants.iter().map(|entrant| (entrant.name.clone(), entrant.clone())).collect();
        let mut event = Event {
            shared: shared.clone(),
            asking: Asking::new(shared, &watch)?,
            watch,
            players: Arc::new(Players(named)),
            wishes: Wishes::new(&structure, &entrants, &shared.args, Stream::new(seed)),
            structure,
            name,
            next: 0,
            crowd,
            tables: JoinSet::new(),
            followed: BTreeSet::new(),
            started: None,
        };
        event.create_players(&entrants).await?;
        Ok(event)
    }

    fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw(format!("event {}, before its entry {}", self.name, self.next), flaw)
    }

    /// The most connections it has at once.
    pub fn connections(&self) -> u16 {
        let tables = self.shared.args.players.div_ceil(u16::from(self.structure.seats.max(1)));
        tables.saturating_add(CONNECTIONS.min(self.shared.args.players)).saturating_add(2)
    }

    /// Plays the event to its end, and checks its result.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn play(&mut self) -> Result<(), Failure> {
        self.announce().await?;
        let played = self.run().await;
        if played.is_err() {
            self.shared.stop();
        }
        // A failure of a table, if there is one, is why the event stopped.
        while let Some(done) = self.tables.join_next().await {
            match done {
                Ok(Ok(()) | Err(Failure::Stopped)) => {}
                Ok(Err(failure)) => return Err(failure),
                Err(broken) => return Err(Failure::Usage(format!("a table's players broke down: {broken}"))),
            }
        }
        played?;
        self.come_to_an_end().await
    }

    async fn run(&mut self) -> Result<(), Failure> {
        loop {
            if self.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            while let Some(done) = self.tables.try_join_next() {
                done.map_err(|e| Failure::Usage(format!("a table's players broke down: {e}")))??;
            }
            self.follow_tables()?;
            let stage = self.watch.event(|_, event| event.stage);
            if stage == Some(Stage::Ended) {
                return Ok(());
            }
            if stage == Some(Stage::Running) && self.started.is_none() {
                self.started = Some(Instant::now());
            }
            let wishes = self.watch.event(|_, event| self.wishes.of(event, now_ms())).unwrap_or_default();
            let wait_ms = if wishes.is_empty() { WAIT_MS } else { 0 };
            self.carry_out(wishes).await?;
            self.follow(wait_ms).await?;
        }
    }

    async fn follow(&mut self, wait_ms: u64) -> Result<(), Failure> {
        let page = self.asking.follow("tournaments", &self.name, &mut self.next, wait_ms, |_, _| Ok(())).await?;
        // So that the tables' entries are known up to here, too.
        if let Some(page) = page {
            self.watch.reach(page.checkpoint.size).await?;
        }
        Ok(())
    }

    /// A task for each table at which seats were drawn.
    fn follow_tables(&mut self) -> Result<(), Failure> {
        let new = self.watch.event(|_, event| {
            let seated = event.field().tables.keys().copied();
            let new: Vec<u16> = seated.filter(|number| !self.followed.contains(number)).collect();
            new.into_iter().filter_map(|number| Some((number, event.table_name(number)?))).collect::<Vec<_>>()
        });
        for (number, table) in new.unwrap_or_default() {
            self.followed.insert(number);
            let game = self.structure.rules.name.clone();
            let at_table = AtTable::new(table, game, self.players.clone(), &self.shared, &self.watch)?;
            let shared = self.shared.clone();
            self.tables.spawn(async move {
                let played = at_table.play().await;
                if played.is_err() {
                    shared.stop();
                }
                played
            });
        }
        Ok(())
    }

    /// Sends the players' wishes to the event, on all its connections.
    async fn carry_out(&mut self, wishes: Vec<Wish>) -> Result<(), Failure> {
        if wishes.is_empty() {
            return Ok(());
        }
        let each = wishes.len().div_ceil(self.crowd.len().max(1));
        let mut tasks = JoinSet::new();
        for (part, asking) in wishes.chunks(each).zip(&self.crowd) {
            let (part, asking, players) = (part.to_vec(), asking.clone(), self.players.clone());
            let (name, structure) = (self.name.clone(), self.structure.clone());
            tasks.spawn(async move {
                let mut asking = asking.lock().await;
                for wish in part {
                    wish.carry_out(&mut asking, &players, &name, &structure).await?;
                }
                Ok::<(), Failure>(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.map_err(|e| Failure::Usage(format!("a player broke down: {e}")))??;
        }
        Ok(())
    }
}

impl Connected for Event {
    fn parts(&mut self) -> Option<(Token, &mut Link)> {
        Some((self.shared.operator.clone(), &mut self.asking.link))
    }
}
