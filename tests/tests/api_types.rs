//! The types of `fairshoe-api` have exactly the fields of openapi.yaml.

use fairshoe_api::*;
use fairshoe_tests::contract::Contract;
use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads no value; records the fields that a type asks for.
struct Fields<'f>(&'f mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = Some(fields);
        Err(Error::custom("noted"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

fn fields_of<T: for<'de> Deserialize<'de>>() -> BTreeSet<&'static str> {
    let mut noted = None;
    assert!(T::deserialize(Fields(&mut noted)).is_err());
    noted.expect("a struct").iter().copied().collect()
}

/// The fields of the objects that a schema allows, over all its alternatives.
fn fields_in<'v>(contract: &'v Contract, schema: &'v Value) -> BTreeSet<&'v str> {
    let schema = contract.resolve(schema);
    let alternatives = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    let mut fields: BTreeSet<&str> = alternatives.flat_map(|one| fields_in(contract, one)).collect();
    fields.extend(
        schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str()),
    );
    if let Some(items) = schema.get("items") {
        fields.extend(fields_in(contract, items));
    }
    fields
}

#[test]
fn every_type_has_the_fields_of_its_schema() {
    let contract = Contract::load();
    let schemas = &contract.document["components"]["schemas"];
    let same = |place: &str, fields: BTreeSet<&'static str>| {
        let mut schema = schemas;
        for step in place.split('.') {
            let resolved = contract.resolve(schema);
            let inner = resolved.get("items").map_or(resolved, |items| contract.resolve(items));
            let properties = inner.get("properties").unwrap_or(inner);
            schema = &properties[step];
        }
        assert_eq!(fields_in(&contract, schema), fields, "{place}");
    };
    same("Problem", fields_of::<Problem>());
    same("Receipt", fields_of::<Receipt>());
    same("Accepted", fields_of::<Accepted>());
    same("SeedLine", fields_of::<SeedLine>());
    same("OwnCards", fields_of::<OwnCards>());
    same("RoundView", fields_of::<RoundView>());
    same("RoundView.void", fields_of::<VoidView>());
    same("Contributor", fields_of::<ContributorView>());
    same("Decision", fields_of::<DecisionView>());
    same("DecisionList", fields_of::<DecisionList>());
    same("PileView", fields_of::<PileView>());
    same("PileView.players", fields_of::<PilePartView>());
    same("RoundRead", fields_of::<RoundRead>());
    same("RoundList", fields_of::<RoundList>());
    same("RoundSummary", fields_of::<RoundSummary>());
    same("TableView", fields_of::<TableView>());
    same("TableView.shoe", fields_of::<ShoeView>());
    same("TableView.seats", fields_of::<SeatView>());
    same("TableView.window", fields_of::<WindowView>());
    same("CashView", fields_of::<CashView>());
    same("CashView.seats", fields_of::<CashSeatView>());
    same("CashView.call", fields_of::<CallView>());
    same("CashView.own", fields_of::<StandingView>());
    same("TableList", fields_of::<TableList>());
    same("RuleSetView", fields_of::<RuleSetView>());
    same("CurrentShoe", fields_of::<CurrentShoe>());
    same("ShoeHistory", fields_of::<ShoeHistory>());
    same("Disclosure", fields_of::<Disclosure>());
    same("LoginTicket", fields_of::<LoginTicket>());
    same("PlayerList", fields_of::<PlayerList>());
    same("PlayerList.players", fields_of::<ListedPlayer>());
    same("Transaction", fields_of::<Transaction>());
    same("PartInRound", fields_of::<PartInRound>());
    same("TrialCommitment", fields_of::<TrialCommitment>());
    same("KnownLogList", fields_of::<KnownLogList>());
    same("KnownLog", fields_of::<KnownLogView>());
    same("PlayerView", fields_of::<PlayerView>());
    same("PlayerView.cash_seats", fields_of::<OwnSeat>());
    same("PlayerView.key_waits", fields_of::<KeyWaits>());
    same("LogInfo", fields_of::<LogInfo>());
    same("LogInfo.ended", fields_of::<LogEnded>());
    same("DisplayNames", fields_of::<DisplayNames>());
    same("PlayerWallet", fields_of::<PlayerWallet>());
    same("WalletOperation", fields_of::<WalletOperationView>());
    same("TableEntries", fields_of::<TableEntries>());
    same("TableEntries.entries", fields_of::<TableEntry>());
    same("SignificantList", fields_of::<SignificantList>());
    same("SignificantEvent", fields_of::<SignificantEvent>());
    same("ClusterView", fields_of::<ClusterView>());
    same("ShardView", fields_of::<ShardView>());
    same("Ready", fields_of::<Ready>());
    same("WitnessState", fields_of::<WitnessState>());
    same("WitnessState.witnesses", fields_of::<WitnessView>());
    same("StructureView", fields_of::<StructureView>());
    same("TournamentList", fields_of::<TournamentList>());
    same("TournamentSummary", fields_of::<TournamentSummary>());
    same("TournamentView", fields_of::<TournamentView>());
    same("ClockView", fields_of::<ClockView>());
    same("StandsView", fields_of::<StandsView>());
    same("DealView", fields_of::<DealView>());
    same("ProposalView", fields_of::<ProposalView>());
    same("DrawView", fields_of::<DrawView>());
    same("PayoutView", fields_of::<PayoutView>());
    same("PoolView", fields_of::<PoolView>());
    same("RegistrationView", fields_of::<RegistrationView>());
    same("OwnStanding", fields_of::<OwnStanding>());
    same("EntryView", fields_of::<EntryView>());
    same("Standings", fields_of::<Standings>());
    same("EventTableList", fields_of::<EventTableList>());
    same("EventTableView", fields_of::<EventTableView>());
    same("EventSeatView", fields_of::<EventSeatView>());
    same("OfTournament", fields_of::<OfTournament>());
    // An opening has its shoe's number inline, which serde does not list.
    let opening = schemas["Opening"]["properties"].as_object().unwrap();
    assert_eq!(opening.len(), fields_of::<fairshoe_fairness::Opening>().len() + 1);
    assert!(opening.contains_key("shoe_no"));
}

#[test]
fn every_request_has_the_fields_of_its_schema() {
    let contract = Contract::load();
    let mut typed = BTreeSet::new();
    let mut same = |path: &'static str, fields: BTreeSet<&'static str>| {
        let body = &contract.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(fields_in(&contract, body), fields, "{path}");
        typed.insert(path);
    };
    same("/v1/players", fields_of::<NewPlayer>());
    same("/v1/guests", fields_of::<Nothing>());
    same("/v1/players/{player}/credit", fields_of::<Movement>());
    same("/v1/players/{player}/withdraw", fields_of::<Movement>());
    same("/v1/players/{player}/correct", fields_of::<Correction>());
    same("/v1/players/{player}/key", fields_of::<NewKey>());
    same("/v1/players/{player}/limits", fields_of::<NewLimit>());
    same("/v1/players/{player}/exclusion", fields_of::<NewExclusion>());
    same("/v1/players/{player}/tokens", fields_of::<NewToken>());
    same("/v1/players/{player}/tickets", fields_of::<NewTicket>());
    same("/v1/tickets/exchange", fields_of::<TicketExchange>());
    same("/v1/players/{player}/transfers", fields_of::<NewTransfer>());
    same("/v1/transfers", fields_of::<Claim>());
    same("/v1/logs", fields_of::<KnownLogRequest>());
    same("/v1/players/{player}/wallet/deposits", fields_of::<WalletMovement>());
    same("/v1/players/{player}/wallet/withdrawals", fields_of::<WalletMovement>());
    same("/v1/wallet/{no}/cancel", fields_of::<Nothing>());
    same("/v1/auditors", fields_of::<NewAuditor>());
    same("/v1/tables", fields_of::<NewTable>());
    same("/v1/tables/{table}/seat", fields_of::<SeatWish>());
    same("/v1/tables/{table}/chips", fields_of::<MoreChips>());
    same("/v1/tables/{table}/bets", fields_of::<BetRequest>());
    same("/v1/tables/{table}/commitment", fields_of::<Trial>());
    same("/v1/tables/{table}/close_bets", fields_of::<Announced>());
    same("/v1/rounds/{id}/commitments", fields_of::<Commit>());
    same("/v1/rounds/{id}/reveals", fields_of::<Reveal>());
    same("/v1/rounds/{id}/late-seeds", fields_of::<LateSeed>());
    same("/v1/rounds/{id}/actions", fields_of::<Act>());
    let because = ["/v1/rounds/{id}/void", "/v1/tables/{table}/shuffle", "/v1/tables/{table}/seats/{seat}/unseat"];
    for path in because.into_iter().chain(["/v1/shoes/{table}/{shoe_no}/disclosure"]) {
        same(path, fields_of::<Because>());
    }
    for path in ["/v1/tables/{table}/close", "/v1/tables/{table}/sit_out", "/v1/tables/{table}/waiting"] {
        same(path, fields_of::<Nothing>());
    }
    same("/v1/tournaments", fields_of::<NewTournament>());
    same("/v1/tournaments/{tournament}/registration", fields_of::<Registration>());
    same("/v1/tournaments/{tournament}/draws/{draw_no}/reveals", fields_of::<SeatReveal>());
    same("/v1/tournaments/{tournament}/rebuy", fields_of::<Nothing>());
    same("/v1/tournaments/{tournament}/decline_rebuy", fields_of::<NoRebuy>());
    same("/v1/tournaments/{tournament}/add_on", fields_of::<Nothing>());
    same("/v1/tournaments/{tournament}/stakes", fields_of::<StakeOffer>());
    same("/v1/tournaments/{tournament}/stakes/{seller}", fields_of::<StakePurchase>());
    same("/v1/tournaments/{tournament}/deal/wish", fields_of::<DealWish>());
    same("/v1/tournaments/{tournament}/deal/proposals", fields_of::<DealProposal>());
    same("/v1/tournaments/{tournament}/deal/answers", fields_of::<DealAnswer>());
    same("/v1/tournaments/{tournament}/bounties", fields_of::<BountyOf>());
    same("/v1/tournaments/{tournament}/disqualify", fields_of::<Disqualification>());
    same("/v1/tournaments/{tournament}/substitutes", fields_of::<Substitute>());
    same("/v1/tournaments/{tournament}/registration_times", fields_of::<RegistrationTimes>());
    same("/v1/tournaments/{tournament}/postpone", fields_of::<Postponement>());
    same("/v1/tournaments/{tournament}/cancel", fields_of::<Cancellation>());
    // A bundle has its own form (spec/audit.md).
    typed.insert("/v1/verify");
    let paths = contract.document["paths"].as_object().unwrap();
    let with_body: BTreeSet<&str> = paths
        .iter()
        .filter(|(_, path)| path["post"].get("requestBody").is_some())
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(typed, with_body, "every request has a type");
}
