//! What is known of a command by itself, in one row for each: what it is about, what it begins, how it is counted,
//! whose balance its reply tells and how it is repeated.
//!
//! Owns no rule: whether a command is allowed is decided in `decide` and `cash`. A new command needs a row here, and
//! every list that would otherwise be kept elsewhere is read from it (spec/entries.md, "Changes are bounded";
//! openapi.yaml, "Repeats").

use crate::Command;
use fairshoe_fairness::{PlayerId, TableId};

/// The two kinds of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Bets are placed before a round, and come from the players' balances.
    Betting,
    /// Hands of poker are played with chips that lie before the seats.
    Cash,
}

/// What a command begins: what began before always finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// Nothing, or nothing that goes on.
    Nothing,
    /// Something that takes room: refused while the disk is nearly full.
    Something,
    /// A stake, or a wish to be dealt in: refused besides while no witness has seen the log for too long.
    Play,
}

/// With what a player's command is counted in an hour, beside play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// With nothing: it belongs to play, which stakes and rounds bound, or ends what was counted when it began.
    No,
    /// With all that begins something beside play.
    Beginning,
    /// With the tokens that end all the earlier ones.
    Revocation,
    /// With new keys.
    Key,
    /// With chips that go back to the operator's wallet.
    Withdrawal,
}

/// What a player's command is to the count of changes at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Not counted.
    None,
    /// Counted, and refused where the count is full.
    Made,
    /// The same at a shared table; at a player's own it begins a round.
    MadeWhereShared,
    /// Counted, never refused: it takes back one that was counted. Nobody is held at a table.
    TakenBack,
}

/// Whose balance the reply tells. Where no chip moves it tells none, so that a repeat, which may know none, says the
/// same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance<'c> {
    /// Nobody's.
    Untold,
    /// That of the player who gives it.
    OfGiver,
    /// The same, where its entry posts chips.
    OfGiverIfPosted,
    /// This player's, whoever gives it.
    Of(&'c PlayerId),
}

/// How a command that comes again is known for what it is, without a key of the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Not at all.
    ByKeyAlone,
    /// By its content and who gives it.
    ByContent,
    /// The same where the client gave it no key. It may be carried out again in the same round, and a key that no entry
    /// has says that this is meant.
    ByContentWithoutKey,
    /// By its content and who gives it, while nothing else was done about these bets: they may be replaced and taken back.
    AsLastOfBets,
    /// By what it asks for without a key, where that stands already and nothing else was done about this seat: who sits
    /// asks again after a crash of theirs. A key must be told the same when the seat is left, so it is an entry's own.
    AsLastOfSeat,
    /// By the seed in it, whoever sends it.
    BySeed,
}

/// What is known of a command by itself.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'c> {
    /// The table that it is about.
    pub table: Option<&'c TableId>,
    /// The kind of table that it is for alone; `None` where it is for both, or for no table.
    pub table_kind: Option<TableKind>,
    /// The round that it names.
    pub round_no: Option<u64>,
    /// What it begins.
    pub begins: Begins,
    /// With what it is counted, given by a player.
    pub counted: Counted,
    /// Whose balance its reply tells.
    pub balance: Balance<'c>,
    /// How it repeats.
    pub repeats: Repeats,
    /// What it is to the count of changes at its table.
    pub change: Change,
}

/// A row is built from one of the first four, by what differs from it.
impl<'c> Facts<'c> {
    const COMMON: Facts<'static> = Facts {
        table: None,
        table_kind: None,
        round_no: None,
        begins: Begins::Nothing,
        counted: Counted::Beginning,
        balance: Balance::OfGiver,
        repeats: Repeats::ByKeyAlone,
        change: Change::None,
    };

    /// About the log, a player or a shoe: about no table.
    fn global() -> Self {
        Facts::COMMON
    }

    /// About a table of either kind.
    pub(crate) fn table(table: &'c TableId) -> Self {
        Facts { table: Some(table), ..Facts::COMMON }
    }

    fn betting(table: &'c TableId) -> Self {
        Facts { table_kind: Some(TableKind::Betting), ..Facts::table(table) }
    }

    fn cash(table: &'c TableId) -> Self {
        Facts { table_kind: Some(TableKind::Cash), ..Facts::table(table) }
    }

    /// About this round, by which it is found again.
    fn round(self, round_no: u64) -> Self {
        Facts { round_no: Some(round_no), repeats: Repeats::ByContent, ..self }
    }

    pub(crate) fn begins(self, begins: Begins) -> Self {
        Facts { begins, ..self }
    }

    pub(crate) fn counted(self, counted: Counted) -> Self {
        Facts { counted, ..self }
    }

    fn change(self, change: Change) -> Self {
        Facts { change, ..self }
    }

    pub(crate) fn balance(self, balance: Balance<'c>) -> Self {
        Facts { balance, ..self }
    }

    pub(crate) fn repeats(self, repeats: Repeats) -> Self {
        Facts { repeats, ..self }
    }
}

impl Command {
    /// The command's row.
    #[rustfmt::skip]
    pub fn facts(&self) -> Facts<'_> {
        use Balance::{Of, OfGiverIfPosted, Untold};
        use Begins::{Play, Something};
        use Change::{Made, MadeWhereShared, TakenBack};
        use Repeats::{AsLastOfBets, AsLastOfSeat, ByContentWithoutKey, BySeed};
        match self {
            Command::StartDealer { .. }
            | Command::StopDealer {}
            | Command::ContinueLog { .. }
            | Command::EndLog { .. }
            | Command::NoteRefusedStart { .. }
            | Command::NoteState { .. } => Facts::global(),
            Command::AdmitGuest {} => Facts::global().begins(Something).balance(Untold),
            Command::DismissGuest { .. } => Facts::global().balance(Untold),
            Command::CreatePlayer { player, .. } => Facts::global().begins(Something).balance(Of(player)),
            Command::Credit { player, .. } => Facts::global().begins(Something).balance(Of(player)),
            Command::Correct { player, .. } => Facts::global().begins(Something).balance(Of(player)),
            Command::Withdraw { player, .. } => Facts::global().balance(Of(player)),
            Command::KnowLog { .. } => Facts::global().begins(Something).balance(Untold),
            Command::TransferOut { player, .. } => Facts::global().begins(Something).balance(Of(player)),
            // Whose they are the entry says that is handed in, and nobody else asks.
            Command::TransferIn { .. } => Facts::global().begins(Something).balance(Untold),
            Command::WalletDeposit { player, .. } => Facts::global().begins(Something).balance(Of(player)),
            // One chip can go out, and come in again, as often as anybody likes. Each operation is entries of the house's, too.
            Command::WalletWithdraw { player, .. } => Facts::global().counted(Counted::Withdrawal).balance(Of(player)),
            // As often as a deposit is asked for.
            Command::WalletCancel { .. } => Facts::global().counted(Counted::No).balance(Untold),
            Command::WalletAnswer { .. } => Facts::global().balance(Untold),
            Command::SetKey { .. } => Facts::global().begins(Something).counted(Counted::Key).balance(Untold),
            Command::SetLimit { .. } | Command::Exclude { .. } => Facts::global().begins(Something).balance(Untold),
            Command::IssueToken { revoke, .. } => {
                let counted = if *revoke { Counted::Revocation } else { Counted::Beginning };
                Facts::global().begins(Something).counted(counted).balance(Untold)
            }
            Command::DiscloseShoe { .. } => Facts::global().balance(Untold),

            Command::OpenTable { table, .. } => Facts::table(table).begins(Something).balance(Untold),
            Command::CloseTable { table } => Facts::table(table).counted(Counted::No).balance(Untold),
            Command::Recover { table } => Facts::table(table),
            Command::TidySeats { table } => Facts::table(table),
            Command::WantSeat { table } => Facts::table(table).begins(Something).change(Made).balance(Untold),
            Command::Unseat { table, .. } => Facts::table(table).balance(OfGiverIfPosted),
            Command::LeaveSeat { table } => {
                Facts::table(table).counted(Counted::No).change(TakenBack).balance(OfGiverIfPosted).repeats(AsLastOfBets)
            }
            Command::Reveal { table, round_no, next, .. } => {
                let begins = if next.is_some() { Play } else { Begins::Nothing };
                Facts::table(table).round(*round_no).begins(begins).counted(Counted::No).repeats(BySeed)
            }
            Command::LateSeed { table, round_no, .. } => {
                Facts::table(table).round(*round_no).counted(Counted::No).balance(Untold).repeats(BySeed)
            }
            Command::Act { table, round_no, .. } => Facts::table(table).round(*round_no).counted(Counted::No),
            Command::Lapse { table, round_no, .. } => Facts::table(table).round(*round_no),
            Command::VoidRound { table, round_no, .. } => Facts::table(table).round(*round_no).balance(Untold),

            Command::CommitShoe { table } => Facts::betting(table),
            Command::RetireShoe { table, .. } => Facts::betting(table).begins(Something),
            Command::OpenBets { table } => Facts::betting(table),
            Command::CloseBets { table, round_no } => Facts::betting(table).round(*round_no).repeats(ByContentWithoutKey),
            Command::TakeSeat { table, .. } => Facts::betting(table).begins(Play).change(Made),
            Command::AskToPlay { table } => Facts::betting(table).begins(Play).change(Made).balance(Untold).repeats(AsLastOfSeat),
            Command::Bet { table, round_no, .. } => {
                Facts::betting(table).round(*round_no).begins(Play).counted(Counted::No).change(MadeWhereShared).repeats(AsLastOfBets)
            }
            Command::CancelBet { table, round_no } => {
                Facts::betting(table).round(*round_no).counted(Counted::No).change(TakenBack).repeats(AsLastOfBets)
            }
            Command::CommitSeed { table, round_no, .. } => Facts::betting(table).round(*round_no).counted(Counted::No).balance(Untold),

            Command::Tournament(command) => command.facts(),
            Command::OpenEventTable { table, .. } => Facts::table(table).begins(Something).balance(Untold),
            Command::SetSeats { table } => Facts::cash(table),
            Command::CallHand { table } => Facts::cash(table),
            Command::CloseCall { table, round_no } => Facts::cash(table).round(*round_no).repeats(ByContentWithoutKey),
            Command::SitDown { table, .. } => Facts::cash(table).begins(Play).change(Made).repeats(AsLastOfSeat),
            Command::SitIn { table, .. } => Facts::cash(table).begins(Play).change(Made).balance(Untold).repeats(AsLastOfSeat),
            Command::SitOut { table } => Facts::cash(table).counted(Counted::No).change(TakenBack).balance(Untold),
            Command::AddChips { table, .. } => Facts::cash(table).begins(Something).change(Made).balance(OfGiverIfPosted),
            Command::CommitHandSeed { table, round_no, .. } => {
                Facts::cash(table).round(*round_no).begins(Play).counted(Counted::No).change(Made).balance(Untold)
            }
            Command::WithdrawHandSeed { table, round_no } => {
                let facts = Facts::cash(table).round(*round_no).counted(Counted::No).change(TakenBack);
                facts.balance(Untold).repeats(AsLastOfBets)
            }
        }
    }

    /// Whether the house accepts it while a table awaits its recovery (spec/recovery.md).
    pub fn may_precede_recovery(&self) -> bool {
        matches!(
            self,
            Command::Recover { .. }
                | Command::StartDealer { .. }
                | Command::StopDealer {}
                | Command::NoteRefusedStart { .. }
        )
    }

    /// The table the command is about, if any.
    pub fn table(&self) -> Option<&TableId> {
        self.facts().table
    }

    /// The round the command names, if any.
    pub fn round_no(&self) -> Option<u64> {
        self.facts().round_no
    }
}
