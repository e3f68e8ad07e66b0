//! Cards as numbers, our own dice, and shoes with lanes: the base of all models and their drivers.
//!
//! This file shares no code with the engines: a card is its code (`suit * 13 + rank`, suits c d h s, ranks A 2 … K),
//! and its worth is computed here.

/// A card's code, 0 to 51.
pub type Face = u8;

const RANKS: &str = "A23456789TJQK";
const SUITS: &str = "cdhs";

/// The card of a text such as `Tc`.
pub fn face(text: &str) -> Face {
    let rank = RANKS.find(&text[..1]).unwrap();
    let suit = SUITS.find(&text[1..]).unwrap();
    (suit * 13 + rank) as Face
}

/// The text of a card.
pub fn text(face: Face) -> String {
    let (rank, suit) = (usize::from(face % 13), usize::from(face / 13));
    format!("{}{}", &RANKS[rank..=rank], &SUITS[suit..=suit])
}

/// Several texts, separated by blanks; `|` is only for the reader.
pub fn faces(texts: &str) -> Vec<Face> {
    texts.split_whitespace().filter(|word| *word != "|").map(face).collect()
}

/// Whether the card is an ace.
pub fn is_ace(face: Face) -> bool {
    face.is_multiple_of(13)
}

/// The worth of a card, an ace as 11.
pub fn worth(face: Face) -> u64 {
    match face % 13 {
        0 => 11,
        pip @ 1..=8 => u64::from(pip) + 1,
        _ => 10,
    }
}

/// The best total of at most 21, or else the least.
pub fn points(hand: &[Face]) -> u64 {
    let mut sum: u64 = hand.iter().map(|card| worth(*card)).sum();
    for _ in hand.iter().filter(|card| is_ace(**card)) {
        if sum > 21 {
            sum -= 10;
        }
    }
    sum
}

/// Our own generator, so that a number names a game.
pub struct Dice(u64);

impl Dice {
    /// The dice of a game's number.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((u128::from(z) * n as u128) >> 64) as usize
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a few.
    pub fn of<T: Copy>(&mut self, few: &[T]) -> T {
        few[self.below(few.len())]
    }

    /// Mixes a list.
    pub fn mix<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// Packs of 52, shuffled; now and then the cards of a few ranks come first, so that rare cases happen.
pub fn random_pile(dice: &mut Dice, packs: usize) -> Vec<Face> {
    let mut pile: Vec<Face> = (0..packs).flat_map(|_| 0..52).collect();
    dice.mix(&mut pile);
    let favoured: &[u8] = match dice.below(8) {
        0 => &[0, 9, 10],
        1 => &[0, 9, 10, 11, 12],
        2 => &[0, 1, 2],
        3 => &[7, 7, 7],
        4 => &[4, 5, 0],
        _ => &[],
    };
    let share = [2, 3, 5, 100][dice.below(4)];
    // Most cards of the favoured ranks are drawn early, among others.
    let mut keyed: Vec<(bool, Face)> =
        pile.iter().map(|card| (favoured.contains(&(card % 13)) && !dice.one_in(share), *card)).collect();
    if !favoured.is_empty() {
        keyed.sort_by_key(|(early, _)| !early);
        let front = keyed.iter().filter(|(early, _)| *early).count();
        let reach = (front + front / 2).min(keyed.len());
        dice.mix(&mut keyed[..reach]);
    }
    keyed.into_iter().map(|(_, card)| card).collect()
}

/// A shoe on the table: the slot each lane draws next (spec/fairness.md, lanes), and the faces.
#[derive(Clone)]
pub struct Shoe {
    faces: Vec<Face>,
    order: Vec<u16>,
    lanes: usize,
    turns: Vec<usize>,
    drawn: Vec<bool>,
}

impl Shoe {
    /// `faces` by slot, `order` the slots still undrawn.
    pub fn new(faces: Vec<Face>, order: Vec<u16>, lanes: usize) -> Shoe {
        Shoe { drawn: vec![false; order.len()], faces, order, lanes, turns: vec![0; lanes] }
    }

    /// Cards in the order in which they are drawn, for any lane.
    pub fn in_order(faces: Vec<Face>) -> Shoe {
        let order = (0..faces.len() as u16).collect();
        Shoe::new(faces, order, 1)
    }

    fn place(&self, lane: u16) -> Option<usize> {
        let lane = usize::from(lane) % self.lanes;
        let at = self.turns[lane] * self.lanes + lane;
        match self.drawn.get(at) {
            Some(false) => Some(at),
            _ => self.drawn.iter().rposition(|drawn| !drawn),
        }
    }

    /// The slot that the next draw of a lane takes.
    pub fn next_slot(&self, lane: u16) -> Option<u16> {
        self.place(lane).map(|at| self.order[at])
    }

    /// Draws for a lane: slot and face.
    pub fn draw(&mut self, lane: u16) -> Option<(u16, Face)> {
        let at = self.place(lane)?;
        let count = self.turns.len();
        self.turns[usize::from(lane) % count] += 1;
        self.drawn[at] = true;
        Some((self.order[at], self.faces[usize::from(self.order[at])]))
    }

    /// The face in a slot.
    pub fn face(&self, slot: u16) -> Option<Face> {
        self.faces.get(usize::from(slot)).copied()
    }
}

/// The number of games a driver plays: `few`, or with FAIRSHOE_SLOW=1 `many`.
pub fn games(few: u64, many: u64) -> u64 {
    if std::env::var("FAIRSHOE_SLOW").is_ok_and(|value| value == "1") { many } else { few }
}

/// The games to play: all up to a count, or the one that FAIRSHOE_GAME names.
pub fn numbers(count: u64) -> std::ops::RangeInclusive<u64> {
    match std::env::var("FAIRSHOE_GAME").ok().and_then(|number| number.parse().ok()) {
        Some(number) => number..=number,
        None => 1..=count,
    }
}
