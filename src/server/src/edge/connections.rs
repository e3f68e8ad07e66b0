//! The connections that are open: how many each address has, what each is doing, and which go when there are too many.
//!
//! actix-web bounds connections as a whole and only by no longer accepting any, has one keep-alive time for all, and
//! none for a client that does not read its reply: a connection whose write buffer is full is not looked at again until
//! its client reads. So each connection's socket is kept here a second time, and a connection that must go is shut down
//! from outside; actix then ends it as if the client had closed it.
//!
//! Nor does actix bound requests that are sent ahead: it reads 128 KiB of them, makes a request of each head, and
//! answers all of them into memory while the client reads nothing; and it keeps an unread body. So a connection has one
//! request at a time here, and [`Line::takes`] says which part of it may be read.

use crate::edge::line::{Doing, Line};
use crate::edge::{network, wide};
use actix_web::rt::net::TcpStream;
use std::collections::HashMap;
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An idle connection is closed for another's sake only after so long: a client that has just got its reply may be
/// sending the next request.
const SPARED: Duration = Duration::from_secs(1);

/// One whose client took nothing of its reply for so long goes as an idle one does. *Replies that nobody reads would take
/// every place for the whole write timeout.*
const UNREAD: Duration = Duration::from_secs(2);

/// A connection that has shown a token is a player's: they may think for so long.
const SPARED_KNOWN: Duration = Duration::from_secs(60);

/// A holder of tokens has at most so many connections spared: *one player could take every place, and keep it.*
const MOST_SPARED: usize = 32;

/// One in so many places is for those who have none spared: *a few players would keep everybody else out before they
/// can show a token.*
const UNSPARED: usize = 8;

/// At most one in so many of all connections is closed at once to make room.
const AT_ONCE: usize = 64;

/// If more are open, only so many are searched for one that may go, and the owners' numbers are counted at intervals.
/// *If a thousand came each second, and each looked at all 4,096, no worker would have time for play.*
const LOOKED_AT: usize = 128;
const COUNTED_EVERY: Duration = Duration::from_millis(20);

/// If little memory is left, there is only this part of the places.
const TIGHT: usize = 4;

/// If strangers have every place, and none of them too many, a connection open for so long makes room, whatever it
/// does: *as many addresses as there are places would keep everybody out.*
const TURN: Duration = Duration::from_secs(2);

/// A network may have so many times the connections of one address. *One customer has 65,536 networks of IPv6 to choose
/// from.*
const OF_NETWORK: usize = 5;

/// How long the rest of an unread body may come after its reply.
const REST: Duration = Duration::from_secs(10);

/// How long an idle connection stays open while more than three quarters of all connections are.
const CROWDED: Duration = Duration::from_secs(10);

/// See the module.
pub struct Connections {
    open: Mutex<Open>,
    most: usize,
    per_address: usize,
    /// The operator's proxies, which stand for many clients.
    proxies: Vec<IpAddr>,
    write_timeout: Duration,
    begun: Instant,
    /// Connections that were closed to make room, or not taken, and those whose client did not read; since the last
    /// look.
    turned_away: AtomicUsize,
    unread: AtomicUsize,
}

#[derive(Default)]
struct Open {
    next: u64,
    lines: HashMap<u64, Arc<Line>>,
    by: HashMap<IpAddr, HashMap<u64, Arc<Line>>>,
    counted: Option<Counted>,
}

/// How many connections strangers have of each address and of each network, and how many each holder has.
struct Counted {
    at: Instant,
    strangers: [HashMap<IpAddr, usize>; 2],
    known: Known,
}

impl Connections {
    /// Bounds on connections in all and of each address (0: none) but these proxies, and how long a client may leave a
    /// reply unread.
    pub fn new(most: usize, per_address: usize, proxies: Vec<IpAddr>, write_timeout: Duration) -> Arc<Self> {
        let (turned_away, unread) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Connections {
            open: Mutex::default(),
            most,
            per_address,
            proxies,
            write_timeout,
            begun: Instant::now(),
            turned_away,
            unread,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long a client may leave a reply unread.
    pub fn write_timeout(&self) -> Duration {
        self.write_timeout
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.lock().lines.len()
    }

    /// Counts one that was not taken.
    pub fn turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    /// How many may be open now; fewer if little memory is left.
    fn most(&self, is_tight: bool) -> usize {
        if is_tight { (self.most / TIGHT).max(1) } else { self.most }
    }

    /// Takes a new connection, unless there are too many and none may go for it.
    pub fn accept(self: &Arc<Self>, socket: &TcpStream, is_tight: bool) -> Option<Connected> {
        let (peer, copy) = (socket.peer_addr().ok()?, socket.as_fd().try_clone_to_owned().ok()?);
        let network = network(peer.ip());
        let mut open = self.lock();
        let of_address = open.by.get(&network).map_or(0, HashMap::len);
        let bounded = self.per_address > 0 && !self.proxies.contains(&peer.ip().to_canonical());
        let (full_for_address, full) =
            (bounded && of_address >= self.per_address, open.lines.len() >= self.most(is_tight));
        if full_for_address || full {
            let places = if full_for_address { self.per_address } else { self.most(is_tight) };
            let victims = open.victims(network, !full_for_address, places);
            if victims.is_empty() {
                return None;
            }
            self.turned_away.fetch_add(victims.len(), Ordering::Relaxed);
            for victim in victims {
                victim.close();
                // Its place is free at once; its task ends when it is polled.
                open.remove(&victim);
            }
        }
        open.next = open.next.saturating_add(1);
        let line = Arc::new(Line::new(open.next, copy, network, self.begun));
        open.insert(&line);
        Some(Connected { line, all: self.clone() })
    }

    /// Whether a connection ends as soon as its client ends its side. A stream does, since no other event would end it;
    /// so does a waiting stranger, if their address has many: *one who asks and is gone would fill all their places.*
    pub fn ends_with_client(&self, line: &Line) -> bool {
        let is_strangers = line.holder.load(Ordering::Relaxed) == 0;
        line.is_stream()
            || is_strangers
                && line.is(Doing::Waiting)
                && self.lock().by.get(&line.network).is_some_and(|lines| lines.len() > MOST_SPARED)
    }

    /// Closes the connections whose clients do not read, and idle ones where many are open. To be called about once a
    /// second.
    pub fn look(&self, is_tight: bool) {
        let open = self.lock();
        let crowded = open.lines.len().saturating_mul(4) > self.most(is_tight).saturating_mul(3);
        let known = Known::of(open.lines.values(), self.most(is_tight));
        for line in open.lines.values() {
            let spared = if known.spares(line) { SPARED_KNOWN } else { CROWDED };
            let sends = line.is(Doing::Sending) || line.unwritten.load(Ordering::Relaxed);
            if sends && line.lasts() > self.write_timeout {
                self.unread.fetch_add(1, Ordering::Relaxed);
                line.close();
            } else if line.is(Doing::Nothing)
                && (crowded && line.lasts() > spared || line.drains() && line.lasts() > REST)
            {
                self.turned_away.fetch_add(1, Ordering::Relaxed);
                line.close();
            }
        }
    }

    /// Connections closed since the last call: those without room, and those whose client did not read.
    pub fn closed(&self) -> (usize, usize) {
        (self.turned_away.swap(0, Ordering::Relaxed), self.unread.swap(0, Ordering::Relaxed))
    }
}

impl Open {
    /// The connections that make room for one of this address, if there are so many places. They are of the holder,
    /// address or network that has the most: idle ones, or else those that do not read their reply, whose body is still
    /// coming, that wait, or are answered for long; the longest idle first. If nobody has more than their fair part,
    /// only one goes, which is idle for a while or has had its turn. Nobody who has less makes room.
    fn victims(&mut self, address: IpAddr, of_all: bool, places: usize) -> Vec<Arc<Line>> {
        let counted =
            self.counted.take().filter(|counted| self.lines.len() > LOOKED_AT && counted.at.elapsed() < COUNTED_EVERY);
        let counted = counted.unwrap_or_else(|| Counted::of(&self.lines, places));
        let victims = match self.by.get(&address) {
            _ if of_all => self.chosen(&self.lines, &counted, &counted.known, address, places),
            Some(theirs) => self.chosen(theirs, &counted, &Known::of(theirs.values(), places), address, places),
            None => Vec::new(),
        };
        self.counted = Some(counted);
        victims
    }

    /// The same, of these connections.
    fn chosen(
        &self,
        of: &HashMap<u64, Arc<Line>>,
        counted: &Counted,
        known: &Known,
        address: IpAddr,
        places: usize,
    ) -> Vec<Arc<Line>> {
        let [of_address, of_network] = &counted.strangers;
        // The address counts, and so does its network, as one address.
        let counts = |address: IpAddr| {
            let count = |of: &HashMap<IpAddr, usize>, key| of.get(&key).copied().unwrap_or_default();
            [count(of_address, address), count(of_network, wide(address)) / OF_NETWORK]
        };
        let counts_of = |line: &Line| match known.count(line) {
            0 => counts(line.network),
            count => [count, 0],
        };
        let most_of = |counts: [usize; 2]| counts.into_iter().max();
        let own = counts(address);
        let order = [Doing::Working, Doing::Waiting, Doing::Receiving, Doing::Sending, Doing::Nothing];
        let reads = |line: &Line| line.is(Doing::Sending) && line.lasts() < UNREAD;
        let place = |line: &Line| order.iter().position(|doing| line.is(*doing) && !reads(line)).unwrap_or_default();
        let has_had_its_turn = |line: &Line| line.is_open_for() >= TURN;
        let rank = |line: &Line| {
            let (counts, place, is_known) = (counts_of(line), place(line), known.spares(line));
            let is_spared = is_known && (!line.is(Doing::Nothing) || line.lasts() < SPARED_KNOWN);
            let may_go = !is_spared && most_of(counts) >= most_of(own) && (place > 0 || has_had_its_turn(line));
            may_go.then_some((!is_known, place > 0, most_of(counts), counts, place, line.lasts()))
        };
        // Anywhere in the map, whose order nobody outside knows.
        let from = usize::try_from(self.next.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).unwrap_or_default();
        let from = from.checked_rem(of.len()).unwrap_or_default();
        let looked_at = of.values().skip(from).chain(of.values().take(from)).take(LOOKED_AT);
        let may_go: Vec<_> = looked_at.filter_map(|line| Some((rank(line)?, line))).collect();
        let Some((_, first)) = may_go.iter().max_by_key(|(rank, _)| *rank) else { return Vec::new() };
        let theirs = counts_of(first);
        let more = theirs.iter().zip(own).map(|(theirs, own)| theirs.saturating_sub(own)).max().unwrap_or_default();
        if more < 2 {
            let is_idle = |line: &Line| place(line) > 1 && line.lasts() >= SPARED;
            let turn = may_go.iter().filter(|(_, line)| is_idle(line) || has_had_its_turn(line));
            return turn.max_by_key(|(rank, _)| *rank).map(|(_, line)| Arc::clone(line)).into_iter().collect();
        }
        let others = may_go
            .iter()
            .map(|(_, line)| *line)
            .filter(|line| counts_of(line) == theirs && line.number != first.number && line.is(Doing::Nothing))
            .filter(|line| !known.spares(line));
        // Several at once, so that a flood of connections is not searched through for each of them.
        let spare = (more.saturating_sub(1) / 2).min((places / AT_ONCE).max(1));
        std::iter::once(*first).chain(others.take(spare.saturating_sub(1))).cloned().collect()
    }

    fn insert(&mut self, line: &Arc<Line>) {
        self.lines.insert(line.number, line.clone());
        self.by.entry(line.network).or_default().insert(line.number, line.clone());
    }

    fn remove(&mut self, line: &Line) {
        if self.lines.remove(&line.number).is_none() {
            return;
        }
        if let Some(lines) = self.by.get_mut(&line.network) {
            lines.remove(&line.number);
            if lines.is_empty() {
                self.by.remove(&line.network);
            }
        }
    }
}

impl Counted {
    /// Counts these connections, if there are so many places.
    fn of(lines: &HashMap<u64, Arc<Line>>, places: usize) -> Counted {
        // Those with a token do not count: *an address with many players would have most, and lose each newcomer.*
        let mut strangers: [HashMap<IpAddr, usize>; 2] = Default::default();
        for line in lines.values().filter(|line| line.holder.load(Ordering::Relaxed) == 0) {
            for (of, key) in strangers.iter_mut().zip([line.network, wide(line.network)]) {
                let count = of.entry(key).or_default();
                *count = count.saturating_add(1);
            }
        }
        Counted { at: Instant::now(), strangers, known: Known::of(lines.values(), places) }
    }
}

/// How many connections each holder of tokens has, and how many of them are spared so that they can play.
struct Known {
    counts: HashMap<u64, usize>,
    most: usize,
}

impl Known {
    /// Counts these connections, if there are so many places.
    fn of<'a>(lines: impl Iterator<Item = &'a Arc<Line>>, places: usize) -> Known {
        let mut counts = HashMap::new();
        for line in lines {
            let count: &mut usize = counts.entry(line.holder.load(Ordering::Relaxed)).or_default();
            *count = count.saturating_add(1);
        }
        counts.remove(&0);
        let each = places.saturating_sub(places / UNSPARED).checked_div(counts.len()).unwrap_or_default();
        Known { counts, most: each.clamp(1, MOST_SPARED) }
    }

    fn count(&self, line: &Line) -> usize {
        self.counts.get(&line.holder.load(Ordering::Relaxed)).copied().unwrap_or_default()
    }

    fn spares(&self, line: &Line) -> bool {
        (1..=self.most).contains(&self.count(line))
    }
}

/// A connection's place, given back when actix drops the connection.
pub struct Connected {
    line: Arc<Line>,
    all: Arc<Connections>,
}

impl Connected {
    /// The connection.
    pub fn line(&self) -> &Arc<Line> {
        &self.line
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.all.lock().remove(&self.line);
    }
}

/// Lets the process open as many files as it may: each connection takes two. Returns how many connections that bears.
pub fn raise_file_limit() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = if raised.is_ok() { limit.maximum } else { limit.current };
    // The store, the listener, the witnesses and the workers' own need some.
    files.map_or(usize::MAX, |files| usize::try_from(files.saturating_sub(128) / 2).unwrap_or(usize::MAX).max(16))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A registry for so many connections, which began so long ago.
    fn registry(most: usize, seconds: u64) -> Arc<Connections> {
        let mut all = Arc::into_inner(Connections::new(most, 0, Vec::new(), Duration::from_secs(30))).unwrap();
        all.begun = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        Arc::new(all)
    }

    /// A client of this address, and its connection as it is accepted, if it is.
    async fn comes(all: &Arc<Connections>, address: [u8; 4]) -> Option<(Connected, TcpStream)> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = tokio::net::TcpSocket::new_v4().unwrap();
        client.bind((IpAddr::from(address), 0).into()).unwrap();
        let client = client.connect(listener.local_addr().unwrap()).await.unwrap();
        let server = listener.accept().unwrap().0;
        server.set_nonblocking(true).unwrap();
        Some((all.accept(&TcpStream::from_std(server).unwrap(), false)?, client))
    }

    /// A registry with one connection, the only one that may be open, idle for so long; and its client.
    async fn idle(seconds: u64, is_known: bool) -> (Arc<Connections>, Connected, TcpStream) {
        let all = registry(1, seconds);
        let (connected, client) = comes(&all, [127, 0, 0, 1]).await.unwrap();
        connected.line.since.store(0, Ordering::Relaxed);
        if is_known {
            connected.line.showed_a_token(&"alice");
        }
        (all, connected, client)
    }

    #[test]
    fn where_there_are_many_an_idle_stranger_goes_after_ten_seconds_and_a_player_after_a_minute() {
        actix_web::rt::System::new().block_on(async {
            for (seconds, is_known, goes) in [(9, false, false), (11, false, true), (11, true, false), (61, true, true)]
            {
                let (all, _connected, client) = idle(seconds, is_known).await;
                all.look(false);
                assert_eq!(all.closed(), (usize::from(goes), 0), "{seconds} s, known: {is_known}");
                let read = client.try_read(&mut [0; 1]).map_err(|failure| failure.kind());
                let is_open = read == Err(std::io::ErrorKind::WouldBlock);
                assert!(goes || is_open, "{seconds} s, known: {is_known}: {read:?}");
            }
        });
    }

    #[test]
    fn where_all_places_are_taken_whoever_does_not_read_their_reply_gives_theirs() {
        actix_web::rt::System::new().block_on(async {
            for (seconds, is_known, goes) in [(1, false, false), (3, false, true), (3, true, false)] {
                let (all, connected, _client) = idle(seconds, is_known).await;
                connected.line.doing.store(Doing::Sending as u8, Ordering::Relaxed);
                let taken = comes(&all, [127, 0, 0, 1]).await;
                assert_eq!(taken.is_some(), goes, "{seconds} s, known: {is_known}");
            }
        });
    }

    /// Attack: as many connections as there are places, of many addresses with a few each, and ever new ones: whoever comes
    /// beside many players would be closed before they can show a token.
    #[test]
    fn players_do_not_count_against_whoever_comes_from_their_address() {
        actix_web::rt::System::new().block_on(async {
            let all = Connections::new(8, 0, Vec::new(), Duration::from_secs(30));
            let mut open = Vec::new();
            for name in ["ann", "ben", "cat", "dan"] {
                let connected = comes(&all, [127, 0, 0, 1]).await.unwrap();
                connected.0.line.showed_a_token(&name);
                open.push(connected);
            }
            for _ in 0..3 {
                open.push(comes(&all, [127, 0, 0, 2]).await.unwrap());
            }
            let (newcomer, _client) = comes(&all, [127, 0, 0, 1]).await.unwrap();
            assert!(comes(&all, [127, 0, 0, 3]).await.is_some(), "one of those of whom most are there goes");
            assert!(all.lock().lines.contains_key(&newcomer.line.number), "and it is not the newcomer");
        });
    }

    /// As many connections as there are places, of these addresses, all doing this; they are open for so long.
    async fn full(
        seconds: u64,
        doing: Doing,
        addresses: &[[u8; 4]],
    ) -> (Arc<Connections>, Vec<(Connected, TcpStream)>) {
        let (all, mut open) = (registry(addresses.len(), seconds), Vec::new());
        for address in addresses {
            let mut one = comes(&all, *address).await.unwrap();
            all.lock().remove(&one.0.line);
            Arc::get_mut(&mut one.0.line).unwrap().opened = 0;
            one.0.line.does(doing);
            all.lock().insert(&one.0.line);
            open.push(one);
        }
        (all, open)
    }

    /// Attack: as many addresses as there are places have one connection each, and ask again before it is idle for a second;
    /// or wait for something, send their body, read their reply or have something looked for, without end.
    #[test]
    fn whatever_strangers_do_in_every_place_each_has_a_turn() {
        actix_web::rt::System::new().block_on(async {
            let far_apart = [1, 2, 3, 4].map(|n| [127, n, 0, 1]);
            for doing in [Doing::Nothing, Doing::Waiting, Doing::Receiving, Doing::Sending, Doing::Working] {
                for (seconds, goes) in [(0, false), (3, true)] {
                    let (all, _open) = full(seconds, doing, &far_apart).await;
                    assert_eq!(comes(&all, [127, 9, 0, 1]).await.is_some(), goes, "{doing:?} for {seconds} s");
                }
            }
            // One that may not go yet keeps no other.
            let (all, open) = full(3, Doing::Waiting, &far_apart).await;
            open[0].0.line.does(Doing::Working);
            open[1].0.line.showed_a_token(&"alice");
            for n in [5, 6] {
                assert!(comes(&all, [127, n, 0, 1]).await.is_some());
            }
            assert!([0, 1].iter().all(|n| all.lock().lines.contains_key(&open[*n].0.line.number)), "they go last");
        });
    }

    /// Attack: a customer with many networks of IPv6, or all addresses of one of IPv4, has one connection from each.
    #[test]
    fn the_network_around_addresses_has_a_fair_part() {
        actix_web::rt::System::new().block_on(async {
            let near: Vec<_> = (1..=20).map(|n| [127, 1, 1, n]).collect();
            let (all, _open) = full(0, Doing::Waiting, &near).await;
            assert!(comes(&all, [127, 1, 1, 99]).await.is_none(), "they are as many as the others");
            let (newcomer, _client) = comes(&all, [127, 9, 0, 1]).await.unwrap();
            for n in 1..=3 {
                assert!(comes(&all, [127, 8, n, 1]).await.is_some());
            }
            assert!(all.lock().lines.contains_key(&newcomer.line.number));
        });
    }

    /// Attack: an address whose connections may not go comes again and again.
    #[test]
    fn whoever_has_less_makes_no_room() {
        actix_web::rt::System::new().block_on(async {
            let (all, open) = full(3, Doing::Working, &[[127, 1, 0, 1], [127, 1, 0, 1], [127, 2, 0, 1]]).await;
            open[2].0.line.does(Doing::Nothing);
            open[2].0.line.since.store(0, Ordering::Relaxed);
            assert!(comes(&all, [127, 1, 0, 1]).await.is_some());
            assert!(
                all.lock().lines.contains_key(&open[2].0.line.number),
                "it is idle, and the only one of its address"
            );
        });
    }

    /// Attack: a few players have a stream on as many connections as are spared of each, and take every place, or all of
    /// their address.
    #[test]
    fn of_a_holders_connections_no_more_are_spared_than_fall_to_each() {
        actix_web::rt::System::new().block_on(async {
            for (places, per_address) in [(16, 0), (100, 16)] {
                let all = Connections::new(places, per_address, Vec::new(), Duration::from_secs(30));
                let mut open = Vec::new();
                for nth in 0..16 {
                    let one = comes(&all, [127, 1, 0, 1]).await.unwrap();
                    one.0.line.showed_a_token(&(nth % 4));
                    one.0.line.does(Doing::Waiting);
                    open.push(one);
                }
                let late = [comes(&all, [127, 1, 0, 1]).await.unwrap(), comes(&all, [127, 1, 0, 1]).await.unwrap()];
                let lines = &all.lock().lines;
                assert!(late.iter().all(|(one, _)| lines.contains_key(&one.line.number)), "nobody goes who has less");
                assert_eq!(lines.len(), 16);
            }
        });
    }

    #[test]
    fn whatever_serves_a_connection_is_told_that_it_is_closed() {
        actix_web::rt::System::new().block_on(async {
            let (_all, connected, _client) = idle(0, false).await;
            let line = &connected.line;
            let ends = std::future::poll_fn(|context| {
                if line.is_closed(context.waker()) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            });
            let closes = async {
                tokio::task::yield_now().await;
                line.close();
            };
            let told = tokio::time::timeout(Duration::from_secs(60), async { tokio::join!(ends, closes) }).await;
            assert!(told.is_ok());
        });
    }

    #[test]
    fn an_address_has_so_many_connections_and_a_proxy_as_many_as_there_are() {
        actix_web::rt::System::new().block_on(async {
            let (one, other, proxy) = ([127, 0, 0, 1], [127, 0, 0, 2], [127, 0, 0, 3]);
            let all = Connections::new(100, 3, vec![proxy.into()], Duration::from_secs(30));
            let mut open = Vec::new();
            for (address, most) in [(one, 3), (other, 3), (proxy, 20)] {
                for nth in 0..20 {
                    let Some(connected) = comes(&all, address).await else {
                        assert_eq!(nth, most, "{address:?}");
                        break;
                    };
                    // It is being answered, so that it makes room for none.
                    connected.0.line.does(Doing::Working);
                    open.push(connected);
                }
            }
            assert_eq!((open.len(), all.count()), (26, 26));
            drop(open.remove(0));
            assert!(comes(&all, one).await.is_some(), "its place is free again");
            let unbounded = Connections::new(100, 0, Vec::new(), Duration::from_secs(30));
            for _ in 0..20 {
                open.push(comes(&unbounded, one).await.unwrap());
            }
        });
    }

    #[test]
    fn where_little_memory_is_left_a_quarter_of_the_places_is_there() {
        let all = Connections::new(64, 0, Vec::new(), Duration::from_secs(30));
        assert_eq!((all.most(false), all.most(true)), (64, 16));
    }
}
