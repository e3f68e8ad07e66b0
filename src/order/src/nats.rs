//! The order in NATS JetStream: one replicated stream for each shard, and next to it the leases of all
//! (spec/cluster.md, "JetStream").

use crate::refusal::is_refusal;
use crate::{Access, LeaseSeen, Leases, MAX_MESSAGE, Order, OrderError, Said};
use async_nats::header::{NATS_EXPECTED_LAST_SEQUENCE, NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, NATS_EXPECTED_STREAM};
use async_nats::jetstream::context::{ContextBuilder, GetStreamErrorKind};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, PersistenceMode, RawMessageErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{Client, ConnectErrorKind, HeaderMap, Subscriber};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The longest time of one request. It is short: a takeover waits for it, and asking again is safe.
const PATIENCE: Duration = Duration::from_millis(1500);

/// After so long a silence a server counts as gone.
const PING: Duration = Duration::from_secs(1);

const REPLICAS: usize = 3;

/// The most shards that are read.
const MOST_SHARDS: usize = 1024;

/// A message with headers, and some spare room.
const MAX_STORED: i32 = 1_150_976;

/// The leases of all shards of these servers.
const LEASES: &str = "fairshoe-leases";
const LEASE_SUBJECTS: &str = "fairshoe.lease";

/// The servers that keep the order, and the shard.
#[derive(Clone, Debug)]
pub struct Servers {
    /// The address of each: `nats://HOST:PORT` or `tls://HOST:PORT`.
    pub addresses: Vec<String>,
    /// The credentials shown to them.
    pub access: Access,
    /// The shard: letters, digits and hyphens.
    pub shard: String,
    /// The connecting node; the servers display it.
    pub node: String,
}

impl Servers {
    /// The name of the shard's stream.
    #[must_use]
    pub fn stream(&self) -> String {
        format!("fairshoe-{}", self.shard)
    }

    fn subject(&self) -> String {
        format!("fairshoe.order.{}", self.shard)
    }

    fn lease(&self) -> String {
        format!("{LEASE_SUBJECTS}.{}", self.shard)
    }

    /// A connection to one of the servers that accepts this node.
    async fn enter(&self) -> Result<Client, OrderError> {
        let refused = |why: &dyn std::fmt::Display| OrderError::Refused(format!("{why}: {}", self.access.advice()));
        let options = self.access.options().map_err(|why| refused(&why))?;
        let options = options
            .name(format!("fairshoe {} {}", self.shard, self.node))
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .ping_interval(PING)
            // All of them are named: an address that a server gives for itself may not be reachable from here.
            .ignore_discovered_servers()
            .reconnect_delay_callback(|_| Duration::from_millis(100));
        options.connect(self.addresses.as_slice()).await.map_err(|error| match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => refused(&error.kind()),
            _ => silent(error),
        })
    }

    /// Asks each server separately whether it accepts this node; changes no data there. Returns those that refuse, by
    /// address.
    ///
    /// # Errors
    /// [`OrderError::Silent`] if this machine cannot ask.
    pub fn knock(&self) -> Result<Vec<(String, OrderError)>, OrderError> {
        let runtime = runtime()?;
        let mut closed = Vec::new();
        for address in &self.addresses {
            let alone = Servers { addresses: vec![address.clone()], ..self.clone() };
            if let Err(why) = runtime.block_on(alone.enter()) {
                closed.push((address.clone(), why));
            }
        }
        Ok(closed)
    }
}

fn runtime() -> Result<Runtime, OrderError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("order")
        .enable_all()
        .build()
        .map_err(silent)
}

/// The order in JetStream; see the module. Its calls block: use them on their own threads, not on those that serve.
pub struct JetStream {
    runtime: Runtime,
    client: Client,
    context: Context,
    stream: Stream,
    leases: Stream,
    servers: Servers,
    /// Wakes the followers; its content is only a hint.
    hints: Mutex<Subscriber>,
}

fn silent(what: impl std::fmt::Display) -> OrderError {
    OrderError::Silent(what.to_string())
}

impl JetStream {
    /// Connects, makes missing streams, and checks their settings.
    ///
    /// # Errors
    /// [`OrderError::Silent`] if no server answers; [`OrderError::Refused`] if one refuses this node;
    /// [`OrderError::Damaged`] if a stream has other settings.
    pub fn connect(servers: Servers) -> Result<Self, OrderError> {
        let runtime = runtime()?;
        let (client, context, stream, leases, hints) = runtime.block_on(async {
            let client = servers.enter().await?;
            let context = ContextBuilder::new().timeout(PATIENCE).ack_timeout(PATIENCE).build(client.clone());
            let stream = stream(&context, order_settings(&servers)).await?;
            let leases = self::stream(&context, lease_settings()).await?;
            let hints = client.subscribe(format!("{}.head", servers.subject())).await.map_err(silent)?;
            Ok::<_, OrderError>((client, context, stream, leases, hints))
        })?;
        Ok(JetStream { runtime, client, context, stream, leases, servers, hints: Mutex::new(hints) })
    }

    /// Waits until a leader announces new messages, or the time is over.
    pub fn wait(&self, most: Duration) {
        self.runtime.block_on(async {
            use futures_util::StreamExt;
            let mut hints = self.hints.lock().await;
            if let Ok(None) = timeout(most, hints.next()).await {
                // The subscription ended with its connection: only wait for the time.
                tokio::time::sleep(most).await;
            }
        });
    }

    /// Announces new messages to the followers.
    pub fn hint(&self) {
        let subject = format!("{}.head", self.servers.subject());
        let said = async { drop(timeout(PATIENCE, self.client.publish(subject, Vec::new().into())).await) };
        self.runtime.block_on(said);
    }

    /// Every shard's lease, as these servers have it, by the shard's name.
    ///
    /// # Errors
    /// [`OrderError::Silent`].
    pub fn shards(&self) -> Result<Vec<(String, LeaseSeen)>, OrderError> {
        self.runtime.block_on(async {
            use futures_util::TryStreamExt;
            let info = self.leases.info_with_subjects(format!("{LEASE_SUBJECTS}.>")).await.map_err(silent)?;
            let mut subjects: Vec<(String, usize)> = info.try_collect().await.map_err(silent)?;
            subjects.sort();
            let mut found = Vec::new();
            // *Anyone who may publish could name any number of them.*
            for (subject, _) in subjects.into_iter().take(MOST_SHARDS) {
                let Some(shard) = subject.strip_prefix(LEASE_SUBJECTS).and_then(|rest| rest.strip_prefix('.')) else {
                    continue;
                };
                if let Some(lease) = self.last_of(&subject).await? {
                    found.push((shard.to_owned(), lease));
                }
            }
            Ok(found)
        })
    }

    async fn last_of(&self, subject: &str) -> Result<Option<LeaseSeen>, OrderError> {
        match timeout(PATIENCE, self.leases.get_last_raw_message_by_subject(subject)).await {
            Ok(Ok(message)) => Ok(Some(seen(&message))),
            Ok(Err(error)) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
            Ok(Err(error)) => Err(self.elsewhere(error).await),
            Err(_) => Err(self.elsewhere("no answer").await),
        }
    }

    /// The meaning of a failed request about the order's stream.
    async fn failed(&self, error: &(impl std::error::Error + 'static), code: Option<ErrorCode>) -> OrderError {
        if code == Some(ErrorCode::STREAM_NOT_FOUND) {
            return OrderError::Damaged(format!("the stream {} is not there any more", self.servers.stream()));
        }
        self.elsewhere(error).await
    }

    /// A silent server may be cut off from the others: the next request goes to another.
    async fn elsewhere(&self, why: impl std::fmt::Display) -> OrderError {
        drop(self.client.force_reconnect().await);
        silent(why)
    }

    async fn publish(&self, subject: String, headers: HeaderMap, bytes: &[u8]) -> Result<u64, (bool, String)> {
        let sent = async {
            let ack = self.context.publish_with_headers(subject, headers, bytes.to_vec().into()).await?;
            ack.await
        };
        match timeout(PATIENCE, sent).await {
            Ok(Ok(ack)) => Ok(ack.sequence),
            Ok(Err(error)) if is_refusal(&error) => Err((true, error.to_string())),
            Ok(Err(error)) => Err((false, self.elsewhere(error).await.to_string())),
            Err(_) => Err((false, self.elsewhere("no answer").await.to_string())),
        }
    }
}

fn of_info(kind: &GetStreamErrorKind) -> Option<ErrorCode> {
    if let GetStreamErrorKind::JetStream(why) = kind { Some(why.error_code()) } else { None }
}

fn of_read(kind: &RawMessageErrorKind) -> Option<ErrorCode> {
    if let RawMessageErrorKind::JetStream(why) = kind { Some(why.error_code()) } else { None }
}

fn seen(message: &StreamMessage) -> LeaseSeen {
    let stamped = message.time.unix_timestamp_nanos() / 1_000_000;
    LeaseSeen {
        number: message.sequence,
        bytes: message.payload.to_vec(),
        stamped: u64::try_from(stamped).unwrap_or_default(),
    }
}

impl Order for JetStream {
    fn append_if(&self, expected: u64, message: &[u8]) -> Said {
        debug_assert!(message.len() <= MAX_MESSAGE);
        let mut headers = HeaderMap::new();
        headers.insert(NATS_EXPECTED_STREAM, self.servers.stream());
        headers.insert(NATS_EXPECTED_LAST_SEQUENCE, expected.to_string());
        match self.runtime.block_on(self.publish(self.servers.subject(), headers, message)) {
            Ok(number) if number == expected + 1 => Said::Accepted,
            Ok(number) => Said::Unknown(format!("it was given the number {number} after {expected}")),
            Err((true, why)) => Said::Refused(why),
            Err((false, why)) => Said::Unknown(why),
        }
    }

    fn head(&self) -> Result<u64, OrderError> {
        self.runtime.block_on(async {
            let info = match timeout(PATIENCE, self.context.get_stream(self.servers.stream())).await {
                Ok(Ok(stream)) => stream.cached_info().clone(),
                Ok(Err(error)) => return Err(self.failed(&error, of_info(&error.kind())).await),
                Err(_) => return Err(self.elsewhere("no answer").await),
            };
            let server = info.cluster.and_then(|cluster| cluster.leader).unwrap_or_else(|| "a server".into());
            let missing = info.state.deleted_count.unwrap_or_default();
            if missing > 0 || info.state.last_sequence > 0 && info.state.first_sequence != 1 {
                return Err(OrderError::Damaged(format!(
                    "{server} has lost {missing} messages, and begins at {}",
                    info.state.first_sequence
                )));
            }
            Ok(info.state.last_sequence)
        })
    }

    fn read(&self, number: u64) -> Result<Option<Vec<u8>>, OrderError> {
        self.runtime.block_on(async {
            match timeout(PATIENCE, self.stream.get_raw_message(number)).await {
                Ok(Ok(message)) => Ok(Some(message.payload.to_vec())),
                Ok(Err(error)) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
                Ok(Err(error)) => Err(self.failed(&error, of_read(&error.kind())).await),
                Err(_) => Err(self.elsewhere("no answer").await),
            }
        })
    }
}

impl Leases for JetStream {
    fn lease(&self) -> Result<Option<LeaseSeen>, OrderError> {
        self.runtime.block_on(self.last_of(&self.servers.lease()))
    }

    fn replace(&self, number: u64, bytes: &[u8]) -> Result<Option<u64>, OrderError> {
        let mut headers = HeaderMap::new();
        headers.insert(NATS_EXPECTED_STREAM, LEASES);
        headers.insert(NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, number.to_string());
        match self.runtime.block_on(self.publish(self.servers.lease(), headers, bytes)) {
            Ok(number) => Ok(Some(number)),
            Err((true, _)) => Ok(None),
            Err((false, why)) => {
                // Lost leases are made again: nothing depends on them alone.
                drop(self.runtime.block_on(stream(&self.context, lease_settings())));
                Err(silent(why))
            }
        }
    }
}

/// The required settings of an order's stream. Never the asynchronous persist mode: it acknowledges before it has
/// stored.
fn order_settings(servers: &Servers) -> Config {
    Config {
        name: servers.stream(),
        subjects: vec![servers.subject()],
        discard: DiscardPolicy::New,
        max_message_size: MAX_STORED,
        duplicate_window: Duration::from_millis(100),
        deny_delete: true,
        deny_purge: true,
        ..common()
    }
}

fn lease_settings() -> Config {
    Config {
        name: LEASES.into(),
        subjects: vec![format!("{LEASE_SUBJECTS}.>")],
        discard: DiscardPolicy::Old,
        max_messages_per_subject: 1,
        max_message_size: 16_384,
        duplicate_window: Duration::from_millis(100),
        ..common()
    }
}

fn common() -> Config {
    Config {
        retention: RetentionPolicy::Limits,
        storage: StorageType::File,
        num_replicas: REPLICAS,
        max_bytes: -1,
        max_messages: -1,
        max_messages_per_subject: -1,
        ..Config::default()
    }
}

/// The stream with these settings; it is made if missing.
async fn stream(context: &Context, wanted: Config) -> Result<Stream, OrderError> {
    let name = wanted.name.clone();
    let found = match context.get_stream(&name).await {
        Ok(found) => found,
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::STREAM_NOT_FOUND => {
                context.create_stream(wanted.clone()).await.map_err(silent)?
            }
            _ => return Err(silent(error)),
        },
    };
    let wrong = differs(&found.cached_info().config, &wanted);
    if wrong.is_empty() {
        return Ok(found);
    }
    Err(OrderError::Damaged(format!("the stream {name} is not set as it must be: {}", wrong.join(", "))))
}

/// The important settings that differ, in the server's words.
fn differs(has: &Config, wanted: &Config) -> Vec<String> {
    let shown = |config: &Config| {
        [
            ("subjects", format!("{:?}", config.subjects)),
            ("storage", format!("{:?}", config.storage)),
            ("num_replicas", config.num_replicas.to_string()),
            ("retention", format!("{:?}", config.retention)),
            ("discard", format!("{:?}", config.discard)),
            ("max_msgs", config.max_messages.to_string()),
            ("max_msgs_per_subject", config.max_messages_per_subject.to_string()),
            ("max_bytes", config.max_bytes.to_string()),
            ("max_msg_size", config.max_message_size.to_string()),
            ("max_age", format!("{:?}", config.max_age)),
            ("deny_delete", config.deny_delete.to_string()),
            ("deny_purge", config.deny_purge.to_string()),
            ("allow_direct", config.allow_direct.to_string()),
            ("allow_rollup_hdrs", config.allow_rollup.to_string()),
            ("no_ack", config.no_ack.to_string()),
            ("sealed", config.sealed.to_string()),
            ("mirror", config.mirror.is_some().to_string()),
            ("persist_mode", format!("{:?}", config.persist_mode.unwrap_or(PersistenceMode::Default))),
        ]
    };
    let pairs = shown(has).into_iter().zip(shown(wanted));
    let wrong = pairs.filter(|(has, wanted)| has != wanted);
    wrong.map(|((name, has), (_, wanted))| format!("{name} is {has} and must be {wanted}")).collect()
}
