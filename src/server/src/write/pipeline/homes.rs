//! Where the guests who are there came from. An address that sent many leaves the last places to others.
//!
//! Kept in memory alone: after a start the guests of before count for nobody until their next command.

use crate::edge::wide;
use fairshoe_fairness::PlayerId;
use fairshoe_house::{Entry, Event};
use std::collections::HashMap;
use std::net::IpAddr;

/// An address holds fewer places than this part of those that are free. *Attack: fifty addresses fill the house with guests
/// who play on, and nobody else comes in.* The fewer are free the fewer may one have, so that the last are for newcomers.
const PART: usize = 16;

/// So many times as many are held by the network around an address.
const OF_NETWORK: usize = 5;

/// See the module.
#[derive(Default)]
pub struct Homes {
    of: HashMap<PlayerId, IpAddr>,
    addresses: HashMap<IpAddr, usize>,
    networks: HashMap<IpAddr, usize>,
}

impl Homes {
    /// A guest who is there gave a command, or came.
    pub fn note(&mut self, guest: &PlayerId, address: IpAddr) {
        if !self.of.contains_key(guest) {
            self.of.insert(guest.clone(), address);
            *self.addresses.entry(address).or_default() += 1;
            *self.networks.entry(wide(address)).or_default() += 1;
        }
    }

    /// Guests go with their dismissal.
    pub fn follow(&mut self, entry: &Entry) {
        for event in &entry.events {
            if let Event::GuestDismissed { player } = event {
                self.forget(player);
            }
        }
    }

    fn forget(&mut self, guest: &PlayerId) {
        if let Some(address) = self.of.remove(guest) {
            one_less(&mut self.addresses, address);
            one_less(&mut self.networks, wide(address));
        }
    }

    /// Whether an address may send one more where so many places are free, and these guests, who are idle, make room: those
    /// hold nothing.
    pub fn may_send<'g>(&self, address: IpAddr, free: usize, idle: impl Iterator<Item = &'g PlayerId>) -> bool {
        let around = wide(address);
        let held = |counts: &HashMap<IpAddr, usize>, of: IpAddr| counts.get(&of).copied().unwrap_or_default();
        let mut free = free;
        let (mut of_address, mut of_network) = (held(&self.addresses, address), held(&self.networks, around));
        for home in idle.map(|guest| self.of.get(guest)) {
            free = free.saturating_add(1);
            of_address = of_address.saturating_sub(usize::from(home == Some(&address)));
            of_network = of_network.saturating_sub(usize::from(home.is_some_and(|home| wide(*home) == around)));
        }
        let part = free.div_ceil(PART);
        of_address < part && of_network < part.saturating_mul(OF_NETWORK)
    }
}

fn one_less(counts: &mut HashMap<IpAddr, usize>, of: IpAddr) {
    if let Some(count) = counts.get_mut(&of) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(&of);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Attack: fifty addresses of ten networks take every place that they can, and keep it.
    #[test]
    fn fifty_addresses_leave_places_for_those_who_have_none() {
        const PLACES: usize = 1000;
        let (mut homes, mut guests) = (Homes::default(), 0);
        let mut comes = |homes: &mut Homes, address: &str| {
            let address = address.parse().unwrap();
            // As the house asks: from three quarters on.
            let is_admitted = guests < PLACES && (guests < 750 || homes.may_send(address, PLACES - guests, [].iter()));
            if is_admitted {
                homes.note(&PlayerId::parse(&format!("guest.{guests}")).unwrap(), address);
                guests += 1;
            }
            is_admitted
        };
        let attackers: Vec<_> =
            (0..10).flat_map(|network| (1..6).map(move |host| format!("198.51.{network}.{host}"))).collect();
        // For hours: an address is not counted by the minute.
        let taken: usize =
            (0..1_000).map(|_| attackers.iter().filter(|address| comes(&mut homes, address)).count()).sum();
        assert!((750..=820).contains(&taken), "{taken}");
        let newcomers = (0..180).filter(|n| comes(&mut homes, &format!("203.0.{n}.1"))).count();
        assert_eq!(newcomers, 180);
        // One network of IPv6 is one, however many addresses it has.
        let of_one = (0..1_000).filter(|n| comes(&mut homes, &format!("2001:db8:7:{n:x}::"))).count();
        assert!(of_one <= 3 * OF_NETWORK, "{of_one}");
        assert!(comes(&mut homes, "203.0.200.1"));
    }

    #[test]
    fn whoever_goes_leaves_nothing() {
        let (mut homes, address) = (Homes::default(), "192.0.2.1".parse().unwrap());
        let guest = |n: u32| PlayerId::parse(&format!("guest.{n}")).unwrap();
        (0..3).for_each(|n| homes.note(&guest(n), address));
        homes.note(&guest(0), "192.0.2.2".parse().unwrap());
        let may_send = |free: usize, idle: &[PlayerId]| homes.may_send(address, free, idle.iter());
        assert!(!may_send(48, &[]) && may_send(49, &[]));
        assert!(may_send(33, &[guest(1)]) && may_send(0, &[guest(0), guest(1), guest(2)]));
        (0..3).for_each(|n| homes.forget(&guest(n)));
        homes.forget(&guest(7));
        assert!(homes.of.is_empty() && homes.addresses.is_empty() && homes.networks.is_empty());
    }
}
