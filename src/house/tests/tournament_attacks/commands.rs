//! All commands of players and operator, by chance, in events that are played.

use super::*;

/// Commands by chance, at any time, of anybody: none is an error of the house, and every event ends with empty accounts.
#[test]
fn commands_by_chance_break_nothing() {
    for number in 0..6 * effort() {
        let seed = std::env::var("FAIRSHOE_FROM").ok().and_then(|s| s.parse::<u64>().ok()).unwrap_or(0x66_75) + number;
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut structure = some_structure(&mut rng);
        structure.deal = rng.one_in(2).then_some(fairshoe_tournament::structure::DealTerms { most_players: 4 });
        structure.staking = true;
        structure.entry.players_min = structure.entry.players_min.min(2);
        structure.draw_hands = rng.pick(&[0, 1, 3]);
        structure.unregister_ms = Some(1_000);
        let mut house = House::new();
        house.announce("sunday", &structure).unwrap();
        let players = 3 + rng.below(14).min(structure.entry.players_max as usize - 2);
        for n in 0..players.max(2) {
            house.add_player(&format!("p{n}"), 1_000_000);
            drop(house.register("sunday", &format!("p{n}")));
        }
        for _ in 0..30 {
            house.some_command(&structure, players, &mut rng, true);
        }
        if house.event("sunday").players < structure.entry.players_min {
            continue;
        }
        house.wait(HOUR);
        let mut steps = 0;
        while house.event("sunday").stage != Stage::Ended {
            house.play_event("sunday", &mut rng, 5, 8, 1);
            house.check_event_of_some("sunday");
            if rng.one_in(12) {
                house.some_command(&structure, players, &mut rng, false);
                if rng.one_in(2) {
                    house.run_due();
                }
            }
            if rng.one_in(300) {
                house.now += rng.pick(&[0, 5_000, 100_000]);
                house.crash();
                house.run_due();
            }
            steps += 1;
            if steps > 2_500 {
                eprintln!("{seed}: not ended, level {}", house.event("sunday").clock.level);
                break;
            }
        }
        if house.event("sunday").stage != Stage::Ended {
            continue;
        }
        let name = table("sunday");
        for account in [
            Account::Pool(name.clone()),
            Account::Fees(name.clone()),
            Account::Bounties(name.clone()),
            Account::Stakes(name),
        ] {
            assert_eq!(house.state.ledger().balance(&account), Some(0), "{seed} {account}");
        }
        assert!(house.event("sunday").tables.open.is_empty(), "{seed}");
        eprintln!("{seed}: {} entries, {} players", house.log.len(), house.event("sunday").players);
    }
}

impl House {
    fn check_event_of_some(&self, name: &str) {
        let event = self.event(name);
        assert_eq!(self.state.ledger().total(), 0);
        assert_eq!(event.remaining, event.left().count() as u64);
        let mut seated = std::collections::BTreeSet::new();
        for (number, table) in &event.field().tables {
            for (seat, entry_no) in &table.players {
                assert!(seated.insert(*entry_no));
                assert_eq!(
                    event.entries.get(entry_no).unwrap().at,
                    fairshoe_house::tournament::Whereabouts::Seated(*number, *seat)
                );
            }
        }
    }

    fn some_command(&mut self, structure: &Structure, players: usize, rng: &mut Rng, before: bool) {
        let event = || table("sunday");
        let who = format!("p{}", rng.below(players + 2));
        if self.state.ledger().player(&player(&who)).is_none() {
            self.add_player(&who, 1_000_000);
        }
        let other = player(&format!("p{}", rng.below(players)));
        let some_entry = EntryNo(rng.below(players) as u64);
        let reason = || Reference::parse("case 1").unwrap();
        let digest = self.event("sunday").deal.proposal.clone().map(|one| one.digest).unwrap_or_default();
        let wants = self.event("sunday").structure().deal.is_some();
        let result = match rng.below(if before { 6 } else { 15 }) {
            0 => self.register("sunday", &who),
            1 => self
                .in_event(&who, C::OfferStake { event: event(), basis_points: rng.pick(&[0, 2_500, 5_000, 10_000]) }),
            2 => self.in_event(
                &who,
                C::BuyStake { event: event(), seller: other, basis_points: rng.pick(&[500, 1_000, 2_500]) },
            ),
            3 if before => self.in_event(&who, C::Unregister { event: event() }),
            4 if before => self.operator(C::ChangeRegistration {
                event: event(),
                late_levels: rng.below(4) as u16,
                unregister_ms: Some(1_000),
                reason: reason(),
            }),
            5 if before => self.in_event(
                &who,
                C::Register {
                    event: event(),
                    commitment: self.seat_commitment("sunday", &who),
                    pay: fairshoe_house::tournament::Pay::TDollars,
                },
            ),
            3 => self.in_event(&who, C::Rebuy { event: event() }),
            4 => self.in_event(&who, C::AddOn { event: event() }),
            5 => self.in_event(&who, C::DeclineRebuy { event: event(), entry_no: some_entry }),
            6 | 7 if wants => {
                let mut last = None;
                for n in 0..players + 2 {
                    let who = format!("p{n}");
                    if self.state.ledger().player(&player(&who)).is_some() {
                        last = Some(self.in_event(&who, C::WantDeal { event: event(), want: !rng.one_in(9) }));
                    }
                }
                last.unwrap()
            }
            8 => self.in_event(
                &who,
                C::ProposeDeal {
                    event: event(),
                    method: rng.pick(&[DealMethod::Icm, DealMethod::Chips]),
                    amounts: None,
                },
            ),
            9 | 10 => self.in_event(&who, C::AnswerDeal { event: event(), digest, accept: !rng.one_in(12) }),
            11 if rng.one_in(12) => self.disqualify("sunday", other.as_str()),
            12 => {
                let (place, value) = (1 + rng.below(4) as u64, 1_000_000_000);
                let offer = C::SubstitutePrize { event: event(), place, what: reason(), value };
                if rng.one_in(2) { self.operator(offer) } else { self.in_event(&who, offer) }
            }
            13 => self.operator(C::ChangeRegistration {
                event: event(),
                late_levels: rng.below(structure.levels.len()) as u16,
                unregister_ms: None,
                reason: reason(),
            }),
            _ => {
                let number = rng.below(4) + 1;
                let at = table(&format!("sunday.{number}"));
                match rng.below(4) {
                    0 => self.give(&Actor::Operator, Command::CloseTable { table: at }),
                    1 => self.give(&by(&who), Command::LeaveSeat { table: at }),
                    2 => self.give(&by(&who), Command::SitOut { table: at }),
                    _ => self.give(&by(&who), Command::AddChips { table: at, amount: chips(100) }),
                }
            }
        };
        if let Err(DecideError::Broken(why)) = result {
            panic!("an error of the house: {why}");
        }
    }
}
